-- Sessions of the Account pages. A browser's httpOnly cookie identifies its session.
--
-- Read access to this table doesn't allow anyone to act for a user, because rows are identified by a hash of the cookie
-- and their tokens are encrypted with a key that is derived from the cookie (src/account/core/seal.ts).
create schema if not exists _plinth;

create table _plinth.account_sessions (
  id bytea primary key check (octet_length(id) = 32),
  -- The column has no foreign key, because auth.users may be in another database. The service deletes the rows of
  -- deleted users.
  user_id uuid not null,
  sealed bytea not null,
  -- Counts changes to `sealed`, so that only one of two concurrent refreshes is stored.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index account_sessions_expires_at on _plinth.account_sessions (expires_at);
create index account_sessions_user_id on _plinth.account_sessions (user_id);

revoke all on _plinth.account_sessions from public;
