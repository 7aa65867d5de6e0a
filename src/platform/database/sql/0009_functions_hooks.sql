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
