-- Events about users for the project's webhooks (decision 134). An event is written in the transaction of its change, and
-- the auth service sends it afterward. The triggers are created only while a webhook needs them
-- (webhooks/triggers.ts), so that a project without webhooks does no additional work.

create table _plinth.user_events (
  id bigint generated always as identity primary key,
  -- The ID that receivers see, which is the same for every attempt.
  event_id uuid not null default gen_random_uuid() unique,
  type text not null,
  -- The deliveries of a user's events are sent in order.
  user_id uuid,
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  -- True until the deliveries of the event have been created.
  is_new boolean not null default true
);
comment on table _plinth.user_events is 'What happened to users, for the webhooks in plinth.toml; kept for a week.';
create index user_events_new_idx on _plinth.user_events (id) where is_new;
create index user_events_created_at_idx on _plinth.user_events (created_at);
create index user_events_user_idx on _plinth.user_events (user_id);

create table _plinth.user_event_deliveries (
  id bigint generated always as identity primary key,
  event bigint not null references _plinth.user_events (id) on delete cascade,
  -- The name of the webhook in plinth.toml.
  endpoint text not null,
  user_id uuid,
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  attempts int not null default 0,
  -- When the next attempt is due. While a process sends the delivery, this is the end of the process's lease.
  next_attempt_at timestamptz not null default now(),
  last_attempt_at timestamptz,
  duration_ms int,
  response_status int,
  response_excerpt text,
  error text,
  constraint user_event_deliveries_once unique (event, endpoint)
);
comment on table _plinth.user_event_deliveries is 'The attempts to send each event to each webhook.';
create index user_event_deliveries_due_idx on _plinth.user_event_deliveries (endpoint, next_attempt_at)
  where status = 'waiting';
create index user_event_deliveries_user_idx on _plinth.user_event_deliveries (endpoint, user_id, event)
  where status = 'waiting';
create index user_event_deliveries_failed_idx on _plinth.user_event_deliveries (id) where status = 'failed';

-- What is known about each webhook. The settings themselves are in plinth.toml.
create table _plinth.user_event_endpoints (
  name text primary key,
  -- When a process last had this webhook in its settings.
  seen_at timestamptz not null default now(),
  -- A hash of the URL and the secret. If either changes, a disabled webhook is enabled again.
  settings_hash text not null,
  failing_since timestamptz,
  disabled_at timestamptz,
  note text
);
comment on table _plinth.user_event_endpoints is 'Since when each webhook fails, and whether it was disabled.';

revoke all on _plinth.user_events, _plinth.user_event_deliveries, _plinth.user_event_endpoints from public;

-- The functions belong to the role of the auth service, because they run in transactions of the project.
select _plinth.attempt('grant usage, create on schema _plinth to supabase_auth_admin');
grant select, insert, update, delete on _plinth.user_events to supabase_auth_admin;
grant select on _plinth.user_event_deliveries to supabase_auth_admin;
set local role supabase_auth_admin;

-- Returns the data without the user's metadata if it is larger than 64 KiB, so that the table and the requests stay small.
create function _plinth.bounded_event_data(event_data jsonb) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  max_bytes constant int := 65536;
  part text;
begin
  foreach part in array array['user_metadata', 'app_metadata', 'details'] loop
    exit when octet_length(event_data::text) <= max_bytes;
    if part = 'details' then
      event_data := event_data - 'details';
    elsif event_data -> 'user' ? part then
      event_data := event_data #- array['user', part];
    else
      continue;
    end if;
    event_data := jsonb_set(event_data, '{omitted}', coalesce(event_data -> 'omitted', '[]') || to_jsonb(part));
  end loop;
  return event_data;
end;
$$;
revoke all on function _plinth.bounded_event_data(jsonb) from public;

-- Writes an event and returns its number.
create function _plinth.note_user_event(event_type text, about uuid, event_data jsonb) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  noted bigint;
begin
  insert into _plinth.user_events (type, user_id, data)
  values (event_type, about, _plinth.bounded_event_data(event_data))
  returning id into noted;
  perform pg_notify('plinth_user_events', '');
  return noted;
end;
$$;
revoke all on function _plinth.note_user_event(text, uuid, jsonb) from public;

-- Lists the columns that an event can contain, so that a column with a hash or a token can never be part of it.
create function _plinth.note_user_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  u auth.users%rowtype;
  was auth.users%rowtype;
  event_type text;
  about jsonb;
  changed jsonb := '[]';
  -- The number of the event of a user that this transaction has created, after the user's ID.
  marker constant text := coalesce(current_setting('plinth.created_user', true), '');
begin
  if tg_op = 'DELETE' then
    u := old;
    event_type := 'user.deleted';
  elsif tg_op = 'INSERT' then
    u := new;
    event_type := 'user.created';
  else
    u := new;
    was := old;
    event_type := case when was.deleted_at is null and u.deleted_at is not null
      then 'user.deleted' else 'user.updated' end;
    select coalesce(jsonb_agg(c.name order by c.place), '[]') into changed
    from (values
      (1, 'email', was.email is distinct from u.email),
      (2, 'email_confirmed_at', was.email_confirmed_at is distinct from u.email_confirmed_at),
      (3, 'phone', was.phone is distinct from u.phone),
      (4, 'phone_confirmed_at', was.phone_confirmed_at is distinct from u.phone_confirmed_at),
      (5, 'role', was.role is distinct from u.role),
      (6, 'app_metadata', was.raw_app_meta_data is distinct from u.raw_app_meta_data),
      (7, 'user_metadata', was.raw_user_meta_data is distinct from u.raw_user_meta_data),
      (8, 'is_anonymous', was.is_anonymous is distinct from u.is_anonymous),
      (9, 'banned_until', was.banned_until is distinct from u.banned_until),
      (10, 'deleted_at', was.deleted_at is distinct from u.deleted_at)
    ) c (place, name, is_changed)
    where c.is_changed;
  end if;
  about := jsonb_build_object('user', jsonb_build_object(
    'id', u.id,
    'aud', coalesce(u.aud, ''),
    'role', coalesce(u.role, ''),
    'email', coalesce(u.email, ''),
    'email_confirmed_at', u.email_confirmed_at,
    'phone', coalesce(u.phone, ''),
    'phone_confirmed_at', u.phone_confirmed_at,
    'invited_at', u.invited_at,
    'last_sign_in_at', u.last_sign_in_at,
    'app_metadata', coalesce(u.raw_app_meta_data, '{}'),
    'user_metadata', coalesce(u.raw_user_meta_data, '{}'),
    'is_anonymous', u.is_anonymous,
    'is_sso_user', u.is_sso_user,
    'banned_until', u.banned_until,
    'created_at', u.created_at,
    'updated_at', u.updated_at,
    'deleted_at', u.deleted_at));
  if event_type = 'user.updated' then
    -- A sign-up inserts the user and then changes it. Such a change is part of the creation.
    if marker like u.id || ':%' then
      update _plinth.user_events set data = _plinth.bounded_event_data(about)
      where id = split_part(marker, ':', 2)::bigint and user_id = u.id and type = 'user.created';
      if found then
        return null;
      end if;
    end if;
    about := about || jsonb_build_object('changed', changed);
  end if;
  if event_type = 'user.created' then
    perform set_config('plinth.created_user', u.id || ':' || _plinth.note_user_event(event_type, u.id, about), true);
  else
    perform _plinth.note_user_event(event_type, u.id, about);
  end if;
  return null;
end;
$$;
revoke all on function _plinth.note_user_change() from public;

create function _plinth.note_session_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  s auth.sessions%rowtype;
begin
  if tg_op = 'DELETE' then
    s := old;
  else
    s := new;
  end if;
  perform _plinth.note_user_event(
    case tg_op when 'DELETE' then 'session.ended' else 'session.created' end,
    s.user_id,
    jsonb_build_object('session', jsonb_build_object(
      'id', s.id,
      'user_id', s.user_id,
      'created_at', s.created_at,
      'not_after', s.not_after,
      'aal', s.aal,
      'user_agent', left(s.user_agent, 500),
      'ip', host(s.ip),
      'oauth_client_id', s.oauth_client_id)));
  return null;
end;
$$;
revoke all on function _plinth.note_session_change() from public;

-- The argument of the trigger is a list of pairs: the kind of the security event, and the type of the webhook event.
create function _plinth.note_security_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  event_type constant text := tg_argv[0]::jsonb ->> new.kind;
begin
  if event_type is not null then
    perform _plinth.note_user_event(event_type, new.user_id, jsonb_build_object(
      'user_id', new.user_id,
      'actor', new.actor,
      'details', new.details));
  end if;
  return null;
end;
$$;
revoke all on function _plinth.note_security_event() from public;

reset role;
revoke create on schema _plinth from supabase_auth_admin;
