-- Functions in the schemas that every project has: information about the caller, notifications of schema changes, the
-- GraphQL entry point and database webhooks.

-- Functions for policies that return information about the caller. They first check the setting for a single claim,
-- which doesn't require parsing JSON, and then the setting that contains all claims. They return null if neither is
-- set.
set local role supabase_auth_admin;

create function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

create function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

create function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

comment on function auth.uid() is 'The signed-in user''s id: the claim sub of the request.';
comment on function auth.role() is 'The claim role of the request.';
comment on function auth.email() is 'The claim email of the request.';
comment on function auth.jwt() is 'All claims of the request.';

reset role;

-- Notifies the REST service that the schema has changed. An extension can add functions, tables and types to an exposed
-- schema. Event triggers don't run inside the extension's script, so the statement itself causes the notification.
create function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands() as command
    where command.schema_name is distinct from 'pg_temp'
      and coalesce(command.schema_name, '') not in ('auth', 'storage', 'realtime', '_realtime')
      and command.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE TRIGGER',
        'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT',
        'CREATE EXTENSION', 'ALTER EXTENSION'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    where not dropped.is_temporary
      and coalesce(dropped.schema_name, '') not in ('auth', 'storage', 'realtime', '_realtime')
      and dropped.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'trigger', 'type', 'rule'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

select _plinth.attempt($$
  create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch()
$$);
select _plinth.attempt($$
  create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch()
$$);

-- The GraphQL entry point, which is used until the extension is installed.
create function graphql_public.graphql(
  "operationName" text default null,
  query text default null,
  variables jsonb default null,
  extensions jsonb default null
) returns jsonb
language sql immutable
as $$
  select jsonb_build_object('errors', jsonb_build_array(jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
$$;
select _plinth.attempt('grant execute on function graphql_public.graphql(text, text, jsonb, jsonb) to postgres, anon, authenticated, service_role');

-- Implements database webhooks. A trigger sends its row to a URL in a POST request, through pg_net's queue.
set local role supabase_functions_admin;

create table supabase_functions.migrations (
  version text primary key,
  inserted_at timestamptz not null default now()
);

create table supabase_functions.hooks (
  id bigserial primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);
create index supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index supabase_functions_hooks_h_table_id_h_name_idx on supabase_functions.hooks (hook_table_id, hook_name);
comment on table supabase_functions.hooks is 'Which webhook sent which request.';

-- The trigger arguments are all text: url, method (GET or POST), headers, params, and timeout in ms. 'null' stands for
-- the default.
create function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = supabase_functions
as $$
declare
  url constant text := nullif(tg_argv[0], 'null');
  method constant text := nullif(tg_argv[1], 'null');
  headers constant jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}');
  params constant jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}');
  timeout_ms constant int := coalesce(nullif(tg_argv[4], 'null')::int, 1000);
  request bigint;
begin
  if url is null then
    raise exception 'url argument is missing';
  end if;
  if method is null then
    raise exception 'method argument is missing';
  end if;
  case method
    when 'GET' then
      request := net.http_get(url, params, headers, timeout_ms);
    when 'POST' then
      request := net.http_post(
        url,
        jsonb_build_object(
          'old_record', case when tg_op in ('UPDATE', 'DELETE') then to_jsonb(old) end,
          'record', case when tg_op in ('INSERT', 'UPDATE') then to_jsonb(new) end,
          'type', tg_op,
          'table', tg_table_name,
          'schema', tg_table_schema
        ),
        params,
        headers,
        timeout_ms
      );
    else
      raise exception 'method argument % is invalid', method;
  end case;
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid, tg_name, request);
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

reset role;
select _plinth.attempt('grant all on all tables in schema supabase_functions to postgres, anon, authenticated, service_role');
select _plinth.attempt('grant all on all sequences in schema supabase_functions to postgres, anon, authenticated, service_role');
select _plinth.attempt('grant all on all functions in schema supabase_functions to postgres, anon, authenticated, service_role');
select _plinth.attempt('revoke all on function supabase_functions.http_request() from public');
