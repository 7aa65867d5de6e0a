-- Replaces the GraphQL entry point when the original extension pg_graphql is created, and restores its placeholder when
-- the extension is dropped. Plinth's own extension contains the entry point. The project's roles don't own the schema of
-- the entry point, so both functions run as their owner. The project's event triggers must not run as that role, so they
-- are off for these statements.
create function extensions.grant_pg_graphql_access() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  triggers constant text := current_setting('event_triggers', true);
begin
  if not exists (
    select from pg_event_trigger_ddl_commands() command
    join pg_extension e on command.classid = 'pg_extension'::regclass and e.oid = command.objid
    where e.extname = 'pg_graphql'
  ) or to_regprocedure('graphql.resolve(text, jsonb, text, jsonb)') is null or exists (
    select from pg_depend d join pg_extension e on d.refclassid = 'pg_extension'::regclass and e.oid = d.refobjid
    where e.extname = 'pg_graphql' and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
      and d.objid = to_regprocedure('graphql_public.graphql(text, text, jsonb, jsonb)')
  ) then
    return;
  end if;
  if triggers is not null then
    perform set_config('event_triggers', 'off', true);
  end if;
  create or replace function graphql_public.graphql(
    "operationName" text default null,
    query text default null,
    variables jsonb default null,
    extensions jsonb default null
  ) returns jsonb
  language sql
  as $function$
    select graphql.resolve(
      query => query, variables => coalesce(variables, '{}'), "operationName" => "operationName", extensions => extensions)
  $function$;
  alter function graphql_public.graphql(text, text, jsonb, jsonb) volatile;
  -- A member of the extension is dropped with the extension.
  alter extension pg_graphql add function graphql_public.graphql(text, text, jsonb, jsonb);
  grant usage on schema graphql to postgres, anon, authenticated, service_role;
  grant execute on function graphql.resolve(text, jsonb, text, jsonb) to postgres, anon, authenticated, service_role;
  grant usage on schema graphql, graphql_public to postgres with grant option;
  if triggers is not null then
    perform set_config('event_triggers', triggers, true);
  end if;
end
$$;

create function extensions.set_graphql_placeholder() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  triggers constant text := current_setting('event_triggers', true);
begin
  if not exists (
    select from pg_event_trigger_dropped_objects() dropped
    where dropped.object_type = 'extension' and dropped.object_name = 'pg_graphql'
  ) or to_regnamespace('graphql_public') is null
    or to_regprocedure('graphql_public.graphql(text, text, jsonb, jsonb)') is not null then
    return;
  end if;
  if triggers is not null then
    perform set_config('event_triggers', 'off', true);
  end if;
  create function graphql_public.graphql(
    "operationName" text default null,
    query text default null,
    variables jsonb default null,
    extensions jsonb default null
  ) returns jsonb
  language sql immutable
  as $function$
    select jsonb_build_object('errors', jsonb_build_array(jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
  $function$;
  grant execute on function graphql_public.graphql(text, text, jsonb, jsonb)
    to postgres, anon, authenticated, service_role;
  if triggers is not null then
    perform set_config('event_triggers', triggers, true);
  end if;
end
$$;

select _plinth.attempt($$
  create event trigger issue_pg_graphql_access on ddl_command_end when tag in ('CREATE EXTENSION', 'ALTER EXTENSION')
    execute function extensions.grant_pg_graphql_access()
$$);
select _plinth.attempt($$
  create event trigger issue_graphql_placeholder on sql_drop when tag in ('DROP EXTENSION')
    execute function extensions.set_graphql_placeholder()
$$);
