-- Sessions of the Account pages. A browser's httpOnly cookie identifies its session.
--
-- Read access to these tables doesn't allow anyone to act for a user. Rows are identified by a hash of the cookie.
create table _plinth.account_sessions (
  id bytea primary key check (octet_length(id) = 32),
  -- The column has no foreign key, because another service may own auth.users. A row is deleted at sign-out or when it
  -- expires. The row of a deleted user remains until it expires, but the session in it has ended.
  user_id uuid not null,
  -- The tokens, encrypted with a key that is derived from the cookie (src/pages/account/core/seal.ts).
  sealed bytea not null,
  -- Counts changes to `sealed`, so that only one of two concurrent refreshes is stored.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Why auth ended the session, for the browser that still has its cookie. Such a row contains no tokens.
  ended text
);

create index account_sessions_expires_at on _plinth.account_sessions (expires_at);
create index account_sessions_user_id on _plinth.account_sessions (user_id);

revoke all on _plinth.account_sessions from public;

-- Windows of the Account pages that are waiting for the user to open an email link on another device. An httpOnly
-- cookie identifies the window.
create table _plinth.account_waiting_windows (
  id bytea primary key check (octet_length(id) = 32),
  -- The number that the window displays and the user enters on the other device.
  number smallint not null check (number between 10 and 99),
  attempts smallint not null default 0,
  user_agent text not null,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'canceled')),
  -- The hash and type of the link that was confirmed on the other device. The hash is that of auth.one_time_tokens.
  link text,
  link_type text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index account_waiting_windows_expires_at on _plinth.account_waiting_windows (expires_at);

revoke all on _plinth.account_waiting_windows from public;
