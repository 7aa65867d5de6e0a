-- Windows of the Account pages that are waiting for the user to open an email link on another device. An httpOnly
-- cookie identifies the window.
--
-- Read access to this table doesn't allow anyone to act for a user. Rows are identified by a hash of the cookie, and
-- `link` contains the same value as auth.one_time_tokens.
create table _plinth.account_waiting_windows (
  id bytea primary key check (octet_length(id) = 32),
  -- The number that the window displays and the user enters on the other device.
  number smallint not null check (number between 10 and 99),
  attempts smallint not null default 0,
  user_agent text not null,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'canceled')),
  -- The hash and type of the link that was confirmed on the other device.
  link text,
  link_type text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index account_waiting_windows_expires_at on _plinth.account_waiting_windows (expires_at);

revoke all on _plinth.account_waiting_windows from public;
