-- Notifies the REST service that the schema has changed.
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
        'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT'
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
