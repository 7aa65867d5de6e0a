-- Messages of channels: the table with its partitions and publication, the functions with which users' SQL sends
-- messages, and the service's permission queries. Names, columns and behavior of the realtime schema are those of
-- realtime, August 2026.

-- The schema version, which is the latest migration of the upstream service whose API this schema implements.
create table realtime.schema_migrations (
  version bigint primary key,
  inserted_at timestamp(0)
);
insert into realtime.schema_migrations (version, inserted_at) values (20260709120000, now());
revoke all on realtime.schema_migrations
  from public, postgres, dashboard_user, anon, authenticated, service_role, supabase_realtime_admin;

-- The service's role owns the functions in this file. It needs CREATE on the schema only to create them, because
-- Plinth's superuser sessions call functions of `_plinth` by name, and `postgres` is a member of this role.
grant usage, create on schema _plinth to supabase_realtime_admin;
set local role supabase_realtime_admin;

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default now(),
  inserted_at timestamp without time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  constraint messages_pkey primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);

-- The latest private broadcasts of a topic, for replay.
create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant all on realtime.messages to postgres, dashboard_user;

-- The table has one partition per day (UTC). Partitions are created from yesterday to three days ahead and dropped
-- after 72 hours. An old partition that can't be dropped, because another role owns it or other objects depend on it,
-- must not prevent the creation of today's partition. The old partition is kept, and a warning is raised.
create function _plinth.realtime_keep_partitions() returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  partition text;
begin
  for day in select generate_series(today - 1, today + 3, interval '1 day')::date loop
    partition := 'messages_' || to_char(day, 'YYYY_MM_DD');
    if to_regclass(format('realtime.%I', partition)) is null then
      -- Attached after creation because PARTITION OF would block all senders.
      execute format(
        'create table realtime.%I (like realtime.messages including defaults including constraints)', partition
      );
      execute format(
        'alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)',
        partition, day, day + 1
      );
    end if;
  end loop;
  for partition in
    select child.relname
    from pg_catalog.pg_inherits
    join pg_catalog.pg_class child on child.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass
      and child.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
      and to_date(substr(child.relname, 10), 'YYYY_MM_DD') < ((now() at time zone 'utc') - interval '72 hours')::date
  loop
    begin
      execute format('drop table realtime.%I', partition);
    exception when others then
      raise warning 'realtime.% is old and could not be dropped: %', partition, sqlerrm;
    end;
  end loop;
end
$$;
revoke all on function _plinth.realtime_keep_partitions() from public;
select _plinth.realtime_keep_partitions();

-- Returns the topic for which a policy is evaluated.
create function realtime.topic() returns text
language sql stable
as $$ select nullif(current_setting('realtime.topic', true), '')::text $$;

-- Sends one message to a topic. The message is delivered after the caller's transaction is committed. Errors are raised
-- as warnings so that the transaction continues. The function sets the topic for the policies that check the message.
-- Afterward, the topic has its previous value again, so that it doesn't affect policies that are checked later in the
-- caller's transaction. If the insert fails, the exception block restores the previous value.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
  previous_topic constant text := coalesce(current_setting('realtime.topic', true), '');
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when payload ? 'id' then payload else jsonb_set(payload, array['id'], to_jsonb(message_id)) end,
    event, topic, private, 'broadcast'
  );
  perform set_config('realtime.topic', previous_topic, true);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  previous_topic constant text := coalesce(current_setting('realtime.topic', true), '');
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, binary_payload, event, topic, private, extension)
  values (gen_random_uuid(), payload, event, topic, private, 'broadcast');
  perform set_config('realtime.topic', previous_topic, true);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- Sends a row change to a topic. Called by row triggers.
create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'schema', table_schema, 'table', table_name, 'operation', operation, 'record', new, 'old_record', old
    ),
    event_name, topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

-- The service's permission queries, each of which is a single call. They run as the caller, supabase_realtime_admin,
-- which inherits no privileges and switches to the role in the claims before policies are evaluated. The service calls
-- them in transactions that are rolled back. Policies are evaluated with the search path of supabase_realtime_admin.

-- Returns the extensions of a private topic that a caller can read. Inserts probe rows as the table's owner and reads
-- them as the caller.
create function _plinth.realtime_read_rights(
  p_topic text, p_extensions text[], p_role text, p_sub text, p_claims text, p_headers text
) returns text[]
language plpgsql set search_path = realtime, pg_temp
as $$
declare
  probes uuid[];
  readable text[];
begin
  with made as (
    insert into realtime.messages (topic, extension)
    select p_topic, extension from unnest(p_extensions) as extension
    returning id
  )
  select array_agg(id) into probes from made;
  perform
    set_config('realtime.topic', p_topic, true),
    set_config('request.jwt.claims', p_claims, true),
    set_config('request.jwt.claim.sub', p_sub, true),
    set_config('request.jwt.claim.role', p_role, true),
    set_config('request.headers', p_headers, true);
  perform set_config('role', p_role, true);
  select array_agg(m.extension) into readable
  from realtime.messages m
  where m.id = any (probes) and m.inserted_at = now()::timestamp;
  return coalesce(readable, '{}');
end
$$;

-- Returns the extensions that a caller can write to. Finds out by inserting rows as the caller.
create function _plinth.realtime_write_rights(
  p_topic text, p_extensions text[], p_role text, p_sub text, p_claims text, p_headers text
) returns text[]
language plpgsql set search_path = realtime, pg_temp
as $$
declare
  writable text[] := '{}';
  extension text;
begin
  perform
    set_config('realtime.topic', p_topic, true),
    set_config('request.jwt.claims', p_claims, true),
    set_config('request.jwt.claim.sub', p_sub, true),
    set_config('request.jwt.claim.role', p_role, true),
    set_config('request.headers', p_headers, true);
  perform set_config('role', p_role, true);
  foreach extension in array p_extensions loop
    begin
      insert into realtime.messages (topic, extension) values (p_topic, extension);
      writable := writable || extension;
    exception when insufficient_privilege then
      null; -- that is the answer
    end;
  end loop;
  return writable;
end
$$;

revoke all on function
  _plinth.realtime_read_rights(text, text[], text, text, text, text),
  _plinth.realtime_write_rights(text, text[], text, text, text, text)
from public;

reset role;
revoke create on schema _plinth from supabase_realtime_admin;

-- Changes to partitions are published as changes to the parent table.
create publication supabase_realtime_messages_publication for table realtime.messages
  with (publish = 'insert', publish_via_partition_root = true);
