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
  expires_at timestamptz not null
);
comment on table _plinth.event_reversals is 'Links in security notices with which users undo a change.';
create index event_reversals_event_id_idx on _plinth.event_reversals (event_id);
create index event_reversals_expires_at_idx on _plinth.event_reversals (expires_at);

-- auth's role can change these tables, because an event is written in the same transaction as its change.
grant select, insert, update, delete on _plinth.security_events, _plinth.known_devices, _plinth.event_reversals
to supabase_auth_admin;
