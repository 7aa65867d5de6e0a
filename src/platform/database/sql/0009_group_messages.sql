-- Messages between the nodes of a project (docs/decisions/0107-group-view.md). The contents are encrypted with keys that
-- aren't in the database. The table is unlogged, because a message is worthless after a few seconds.
create unlogged table _plinth.group_messages (
  id uuid primary key,
  sender uuid not null,
  recipient uuid not null,
  content bytea not null,
  sent_at timestamptz not null default now()
);
create index on _plinth.group_messages (recipient);
-- Encrypted contents can't be compressed.
alter table _plinth.group_messages alter column content set storage external;
