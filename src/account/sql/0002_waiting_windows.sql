-- Windows of the Account pages that wait until the link in an email is opened on another device. An httpOnly cookie
-- identifies the window.
--
-- Read access to this table doesn't allow anyone to act for a user. Rows are identified by a hash of the cookie, and
-- `link` is the value that auth.one_time_tokens also contains.
create table _plinth.account_waiting_windows (
  id bytea primary key check (octet_length(id) = 32),
  -- The number that the window shows and that the other device must enter.
  number smallint not null check (number between 10 and 99),
  attempts smallint not null default 0,
  user_agent text not null,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'canceled')),
  -- The hash and the type of the link that was confirmed on the other device.
  link text,
  link_type text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index account_waiting_windows_expires_at on _plinth.account_waiting_windows (expires_at);

revoke all on _plinth.account_waiting_windows from public;
