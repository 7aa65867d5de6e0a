-- Sessions of the Account pages: what the httpOnly cookie of a browser stands for.
--
-- Nobody who reads this table can act for anybody: the row is found by a hash of the cookie, and the tokens in it are
-- sealed with a key that is made from the cookie (src/account/core/seal.ts).
create schema if not exists _plinth;

create table _plinth.account_sessions (
  id bytea primary key check (octet_length(id) = 32),
  -- No foreign key: auth.users may belong to somebody else's database; the service says when a user is gone.
  user_id uuid not null,
  sealed bytea not null,
  -- Counts changes of `sealed`, so that of two refreshes at the same moment one is kept.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index account_sessions_expires_at on _plinth.account_sessions (expires_at);
create index account_sessions_user_id on _plinth.account_sessions (user_id);

revoke all on _plinth.account_sessions from public;
