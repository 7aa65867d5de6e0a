-- The state that all nodes of a project share (docs/decisions/0101-group-state.md). The contents are encrypted with
-- keys that aren't in the database.

-- The group's identity. Each change locks this row, so only one node at a time changes the state.
create table _plinth.group_identity (
  is_only boolean primary key default true check (is_only),
  -- The salt from which the nodes derive their keys and the fingerprint of their secret.
  salt bytea not null,
  fingerprint bytea not null,
  -- Increases with each change, so that a node detects changes without comparing all rows.
  change bigint not null default 0
);

create table _plinth.group_state (
  name text primary key,
  version bigint not null,
  -- A keyed hash of the content. Null if the file was removed.
  digest bytea,
  content bytea,
  changed_at timestamptz not null default now(),
  check ((digest is null) = (content is null))
);
-- Encrypted contents can't be compressed.
alter table _plinth.group_state alter column content set storage external;

-- The running nodes. A node that ends without removing its row is ignored once `seen_at` is too old.
create table _plinth.group_nodes (
  id uuid primary key,
  name text not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  storage_kind text not null,
  -- Identifies the folder or the bucket. Nodes with the same value see the same files.
  storage_id text
);
