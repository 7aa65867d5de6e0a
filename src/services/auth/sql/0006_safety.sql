-- Limits on requests and guesses, and each account's timeline of security events.

-- Counts for the limits per address and per hour. They are stored in the database, which all processes share. The table
-- is unlogged so that requests don't wait for the disk. After a crash, the counts start at zero.
create unlogged table _plinth.rate_limits (
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.rate_limits is 'When each bucket of permissions is full again; a row whose time has passed says nothing.';

-- Counts wrong guesses at user-entered secrets, per account and per issued token (limits/typed-secrets.ts). All processes
-- that use this database share the counts. Unlike the limits per address, this table is logged, so a crash doesn't
-- reset the counts.
create table _plinth.guesses (
  -- The kind of secret, and a hash of the account or token. The hash ensures that the key doesn't reveal an address or
  -- code.
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.guesses is 'When all guesses of an account or a token are available again; a row whose time has passed means nothing.';
create index guesses_full_at_idx on _plinth.guesses (full_at);

-- Counts consecutive wrong guesses per account and network or known browser. The following wait increases. A correct
-- guess ends the streak. As in _plinth.guesses, the key contains only hashes.
create table _plinth.guess_streaks (
  key text primary key,
  failures int not null,
  last_at timestamptz not null
);
comment on table _plinth.guess_streaks is 'Wrong guesses in a row at the secrets of an account from one network or browser.';
create index guess_streaks_last_at_idx on _plinth.guess_streaks (last_at);

-- Each account's timeline, the devices that users have signed in on, and the links that undo changes. Upstream's audit
-- log isn't used, because it has no index by user and no devices (decision 64).
create table _plinth.security_events (
  id uuid primary key,
  -- The column has no foreign key, because another service may own auth.users. The service deletes the rows when the
  -- user is deleted.
  user_id uuid not null,
  kind text not null,
  -- `user`, or `operator` if an administrator made the change.
  actor text not null,
  details jsonb not null,
  user_agent text,
  -- The client's network instead of its full address.
  network text,
  created_at timestamptz not null
);
comment on table _plinth.security_events is 'Sign-ins and changes that users see in the timeline of their account.';
create index security_events_user_id_idx on _plinth.security_events (user_id, created_at desc, id desc);
create index security_events_created_at_idx on _plinth.security_events (created_at);

create table _plinth.known_devices (
  user_id uuid not null,
  -- A hash of the browser's cookie. For other clients, a hash of browser, system and network.
  device text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (user_id, device)
);
comment on table _plinth.known_devices is 'Hashes of the devices on which each user has signed in.';
create index known_devices_last_seen_at_idx on _plinth.known_devices (last_seen_at);

create table _plinth.event_reversals (
  -- A SHA-256 hash of the token in the email.
  hash text primary key,
  event_id uuid not null references _plinth.security_events (id) on delete cascade,
  expires_at timestamptz not null,
  -- A used link is kept until it expires, so that its page can say that the account is already secured.
  used_at timestamptz
);
comment on table _plinth.event_reversals is 'Links in security notices with which users undo a change.';
comment on column _plinth.event_reversals.used_at is 'When the link lost its effect, because it or an earlier link was used.';
create index event_reversals_event_id_idx on _plinth.event_reversals (event_id);
create index event_reversals_expires_at_idx on _plinth.event_reversals (expires_at);

-- auth's role can change these tables, because an event is written in the same transaction as its change.
grant select, insert, update, delete on _plinth.security_events, _plinth.known_devices, _plinth.event_reversals
to supabase_auth_admin;
