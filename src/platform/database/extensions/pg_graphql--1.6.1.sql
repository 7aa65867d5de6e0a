-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Executes GraphQL requests within the caller's transaction and as the caller's role. Plinth's server process turns a
-- request into SQL statements. Names and types are those of pg_graphql 1.6.

create function graphql.comment_directive(comment_ text) returns jsonb
language sql immutable parallel safe
begin atomic
  select coalesce(substring(comment_ from '@graphql\((.+)\)')::jsonb, '{}'::jsonb);
end;

create function graphql.exception(message text) returns text
language plpgsql
as $$
begin
  raise exception using errcode = 'data_exception', message = message;
end
$$;

-- The number of schema changes. The server process is notified of each change, because a changed grant can change the
-- GraphQL schema of a role. Citus commits changes in two phases, which excludes notifications.
create sequence graphql.seq_schema_version as int cycle;

create function graphql.get_schema_version() returns int
language sql security definer
begin atomic
  select last_value::int from graphql.seq_schema_version;
end;

create function graphql.increment_schema_version() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform nextval('graphql.seq_schema_version');
  if current_setting('application_name') not like 'citus\_%gpid=%' then
    notify plinth_graphql;
  end if;
end
$$;

create event trigger graphql_watch_ddl on ddl_command_end execute function graphql.increment_schema_version();
create event trigger graphql_watch_drop on sql_drop execute function graphql.increment_schema_version();

create function graphql._dblink(text, text) returns setof record
language c strict
as '$libdir/dblink', 'dblink_record';

-- Sends a question to the server process and returns the reply. The function `_http_ask` of the extension http explains
-- the connection string.
create function graphql._ask(question jsonb) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select reply.text::jsonb from graphql._dblink(
    format('application_name=%s host=''%s'' port=%s user=plinth dbname=plinth gssencmode=disable',
      replace(gen_random_uuid()::text, '-', ''),
      replace(replace(trim(both '"' from split_part(current_setting('unix_socket_directories'), ',', 1)) || '/bridge',
        '\', '\\'), '''', '\'''),
      ('x' || substr(md5(current_database()), 1, 4))::bit(16)::int | 1),
    E'graphql\n' || question::text) as reply (text text);
end;

-- Identifies the state of the catalogs from which the GraphQL schema of a search path is made, as this transaction sees
-- it. Every change of a row moves the row or changes its xmin.
create function graphql._catalog_state(schemas name[]) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  with
    chosen (oid) as materialized (select n.oid from pg_namespace n where n.nspname = any (schemas)),
    relation (oid) as materialized (
      select c.oid from pg_class c join chosen s on s.oid = c.relnamespace),
    state (part, rows, sum) as (
      select 1, count(*), sum(hashtidextended(n.ctid, n.xmin::text::bigint)) from pg_namespace n
      union all
      select 2, count(*), sum(hashtidextended(c.ctid, c.xmin::text::bigint))
      from pg_class c join chosen s on s.oid = c.relnamespace
      union all
      select 3, count(*), sum(hashtidextended(a.ctid, a.xmin::text::bigint))
      from pg_attribute a join relation r on r.oid = a.attrelid
      union all
      select 4, count(*), sum(hashtidextended(d.ctid, d.xmin::text::bigint))
      from pg_attrdef d join relation r on r.oid = d.adrelid
      union all
      select 5, count(*), sum(hashtidextended(i.ctid, i.xmin::text::bigint))
      from pg_index i join relation r on r.oid = i.indrelid
      union all
      select 6, count(*), sum(hashtidextended(c.ctid, c.xmin::text::bigint))
      from pg_constraint c join relation r on r.oid = c.conrelid
      union all
      select 7, count(*), sum(hashtidextended(t.ctid, t.xmin::text::bigint)) from pg_type t
      union all
      select 8, count(*), sum(hashtidextended(e.ctid, e.xmin::text::bigint)) from pg_enum e
      union all
      select 9, count(*), sum(hashtidextended(p.ctid, p.xmin::text::bigint))
      from pg_proc p join chosen s on s.oid = p.pronamespace
      union all
      select 10, count(*), sum(hashtidextended(d.ctid, d.xmin::text::bigint))
      from pg_description d where d.objoid >= 16384 or d.classoid = 'pg_namespace'::regclass
      union all
      select 11, count(*), sum(hashtidextended(m.ctid, m.xmin::text::bigint)) from pg_auth_members m
      union all
      select 12, count(*), sum(hashtidextended(r.ctid, r.xmin::text::bigint)) from pg_authid r
    )
  select string_agg(concat_ws(':', rows, sum), ' ' order by part) from state;
end;

-- The functions above are internal. Each privilege is revoked from every grantee, because a schema's default privileges
-- can also include named roles.
do $$
declare
  made regprocedure;
  grantee text;
begin
  foreach made in array array['graphql._dblink(text, text)', 'graphql._ask(jsonb)',
    'graphql._catalog_state(name[])']::regprocedure[]
  loop
    execute format('revoke all on function %s from public', made);
    for grantee in
      select distinct acl.grantee::regrole::text from pg_proc p, aclexplode(p.proacl) acl
      where p.oid = made and acl.grantee not in (0, p.proowner)
    loop
      execute format('revoke all on function %s from %s', made, grantee);
    end loop;
  end loop;
end
$$;

-- Returns the plan of a request: the response, or the statements that the caller must execute.
--
-- The server process stores catalogs and uses them for all sessions, so a session must not be able to pass a forged
-- one. This function therefore collects the catalog itself, with a statement from the server process. The caller
-- chooses only the role and the search path, and the role's privileges are visible to all roles anyway.
create function graphql._plan(request jsonb, role_name name, schemas name[]) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  question jsonb := jsonb_build_object(
    'request', request, 'role', role_name, 'schemas', schemas, 'state', graphql._catalog_state(schemas));
  reply jsonb;
  catalog text;
begin
  reply := graphql._ask(question);
  if reply ? 'catalogStatement' then
    execute reply ->> 'catalogStatement' into catalog using role_name, schemas;
    reply := graphql._ask(question || jsonb_build_object('catalog', catalog));
  end if;
  if reply ? 'error' then
    raise exception using errcode = 'internal_error', message = reply ->> 'error';
  end if;
  return reply;
exception when sqlclient_unable_to_establish_sqlconnection then
  raise exception using errcode = '55000', message = 'the server process that plans GraphQL requests is not running',
    hint = 'Requests of the pg_graphql extension are planned while Plinth runs.';
end
$$;

-- The search path is the caller's, because its schemas are those of the GraphQL schema. All names are therefore
-- qualified.
create function graphql._internal_resolve(
  query text,
  variables jsonb default '{}',
  "operationName" text default null,
  extensions jsonb default null
) returns jsonb
language plpgsql
as $$
#variable_conflict use_variable
declare
  reply pg_catalog.jsonb;
  step pg_catalog.jsonb;
  result pg_catalog.jsonb;
  affected pg_catalog.int8;
  data pg_catalog.jsonb := '{}';
begin
  if query is null then
    return null;
  end if;
  reply := graphql._plan(
    pg_catalog.jsonb_build_object('query', query, 'variables', variables, 'operationName', "operationName"),
    current_user::pg_catalog.name, pg_catalog.current_schemas(false));
  if pg_catalog.jsonb_exists(reply, 'response') then
    return pg_catalog.jsonb_extract_path(reply, 'response');
  end if;
  for step in select each.value from pg_catalog.jsonb_array_elements(pg_catalog.jsonb_extract_path(reply, 'steps')) each
  loop
    if pg_catalog.jsonb_exists(step, 'text') then
      affected := null;
      execute pg_catalog.jsonb_extract_path_text(step, 'text') into result, affected
      using array(
        select each.value from pg_catalog.jsonb_array_elements_text(pg_catalog.jsonb_extract_path(step, 'values'))
          with ordinality each (value, number)
        order by each.number);
      if affected operator(pg_catalog.>) pg_catalog.jsonb_extract_path_text(step, 'limit', 'rows')::pg_catalog.int8 then
        raise exception using errcode = 'data_exception',
          message = pg_catalog.jsonb_extract_path_text(step, 'limit', 'message');
      end if;
    else
      result := pg_catalog.jsonb_extract_path(step, 'value');
    end if;
    if not pg_catalog.jsonb_exists(step, 'key') then
      data := result;
    else
      data := pg_catalog.jsonb_concat(data, pg_catalog.jsonb_build_object(
        pg_catalog.jsonb_extract_path_text(step, 'key'), result));
    end if;
  end loop;
  if pg_catalog.jsonb_exists(reply, 'errors') then
    return pg_catalog.jsonb_build_object('data', data, 'errors', pg_catalog.jsonb_extract_path(reply, 'errors'));
  end if;
  return pg_catalog.jsonb_build_object('data', data);
end
$$;

create function graphql.resolve(
  query text,
  variables jsonb default '{}',
  "operationName" text default null,
  extensions jsonb default null
) returns jsonb
language plpgsql
as $$
#variable_conflict use_variable
declare
  reason pg_catalog.text;
begin
  return graphql._internal_resolve(query, variables, "operationName", extensions);
exception when others then
  get stacked diagnostics reason = message_text;
  return pg_catalog.jsonb_build_object('data', null,
    'errors', pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('message', reason)));
end
$$;

-- The entry point of the API, which replaces the placeholder of 0004_functions.sql. The event trigger of 0011_graphql.sql
-- restores the placeholder. Databases that Plinth doesn't serve don't have the schema.
do $plinth$
begin
  if to_regnamespace('graphql_public') is null then
    return;
  end if;
  drop function if exists graphql_public.graphql(text, text, jsonb, jsonb);
  create function graphql_public.graphql(
    "operationName" text default null,
    query text default null,
    variables jsonb default null,
    extensions jsonb default null
  ) returns jsonb
  language sql
  as $$
    select graphql.resolve(
      query => query, variables => coalesce(variables, '{}'), "operationName" => "operationName",
      extensions => extensions)
  $$;
end
$plinth$;

-- The grants of the hosted service.
do $$
declare
  grantee name;
begin
  foreach grantee in array array['postgres', 'anon', 'authenticated', 'service_role']::name[] loop
    if to_regrole(quote_ident(grantee)) is not null then
      execute format('grant usage on schema graphql to %I', grantee);
      execute format('grant execute on function graphql.resolve to %I', grantee);
      if to_regnamespace('graphql_public') is not null then
        execute format('grant execute on function graphql_public.graphql to %I', grantee);
      end if;
    end if;
  end loop;
end
$$;
