-- Which channels with postgres_changes each process has, and which change it delivered last. When a process has ended, its
-- clients join again elsewhere and receive what they have missed. The tables contain no user's data: a channel is
-- identified by a hash.

create table _plinth.realtime_nodes (
  node int primary key,
  -- The slot that contains the changes after this position. Null if the slot ends with the process.
  slot text,
  lsn pg_lsn not null default '0/0',
  row_number int not null default 0,
  -- The position in the log of a group.
  sequence bigint,
  delivered_at timestamptz not null default now(),
  -- Null while the process is running. `planned` is true if the position is exact.
  ended_at timestamptz,
  planned boolean not null default false
);

create table _plinth.realtime_channels (
  node int not null references _plinth.realtime_nodes on delete cascade,
  channel bigint not null,
  identity bytea not null,
  -- The number of the client's join message. Clients number their messages, also after they have connected again.
  ref bigint not null,
  -- The process whose position applies instead, because it is older and its client couldn't be told apart from this one.
  continues int references _plinth.realtime_nodes on delete set null,
  primary key (node, channel)
);
create index realtime_channels_identity on _plinth.realtime_channels (identity);

grant select, insert, update, delete on _plinth.realtime_nodes, _plinth.realtime_channels to supabase_realtime_admin;
