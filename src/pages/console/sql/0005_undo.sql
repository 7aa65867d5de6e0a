-- The journal of row changes made in the Console, with which operators can take the changes back.

create table _plinth.undo_entries (
  id bigint generated always as identity primary key,
  -- The transaction that made the changes. The entry is stored before this transaction ends, so an entry counts only if
  -- its transaction was committed.
  xid xid8 not null,
  is_committed boolean not null default false,
  at timestamptz not null default now(),
  operator_id uuid,
  operator_name text not null,
  -- The action as in the audit log, such as `row.delete` or `sql.run`.
  action text not null,
  -- The entry that this one takes back.
  undoes bigint,
  size_bytes bigint not null
);
create index undo_entries_undoes_idx on _plinth.undo_entries (undoes) where undoes is not null;

create table _plinth.undo_tables (
  entry_id bigint not null references _plinth.undo_entries on delete cascade,
  number int not null,
  table_oid oid not null,
  schema text not null,
  name text not null,
  columns text[] not null,
  -- Empty if the table has no key.
  key text[] not null,
  -- Why the table's changes aren't in the journal. Null if they are.
  reason text,
  row_count bigint not null,
  primary key (entry_id, number)
);

-- The values of a row as JSON lists of texts, in the order of the table's columns.
create table _plinth.undo_rows (
  entry_id bigint not null,
  number int not null,
  table_number int not null,
  -- Null if the row was inserted.
  before jsonb,
  -- Null if the row was deleted.
  after jsonb,
  primary key (entry_id, number),
  foreign key (entry_id, table_number) references _plinth.undo_tables on delete cascade
);
