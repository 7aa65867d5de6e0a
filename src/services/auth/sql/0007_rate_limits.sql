-- Counts for the limits per address and per hour. They are stored in the database, which all processes share. The table
-- is unlogged so that requests don't wait for the disk. After a crash, the counts start at zero.
create unlogged table _plinth.rate_limits (
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.rate_limits is 'When each bucket of permissions is full again; a row whose time has passed says nothing.';
