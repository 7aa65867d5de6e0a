-- Plinth's implementation of the functions that basejump-supabase_test_helpers 0.0.6 documents on database.dev. The
-- script runs as the role that creates the extension, so the functions that read `auth.users` have the same privileges
-- as that role.

create schema if not exists tests;
create schema if not exists test_overrides;
grant usage on schema tests, test_overrides to anon, authenticated, service_role;

-- Users are found by an identifier in their metadata. Tests choose this identifier.
create function tests.create_supabase_user(identifier text, email text default null, phone text default null, metadata jsonb default null)
returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  created uuid := gen_random_uuid();
begin
  insert into auth.users (id, email, phone, raw_user_meta_data, raw_app_meta_data, created_at, updated_at)
  values (
    created,
    coalesce(create_supabase_user.email, identifier || '@test.com'),
    create_supabase_user.phone,
    jsonb_build_object('test_identifier', identifier) || coalesce(metadata, '{}'),
    '{}',
    now(),
    now());
  return created;
end
$$;

create function tests.get_supabase_user(identifier text) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_user json;
begin
  select json_build_object(
    'id', id, 'email', email, 'phone', phone,
    'raw_user_meta_data', raw_user_meta_data, 'raw_app_meta_data', raw_app_meta_data)
  into found_user
  from auth.users where raw_user_meta_data ->> 'test_identifier' = identifier
  limit 1;
  if found_user is null then
    raise exception 'User with identifier % not found', identifier;
  end if;
  return found_user;
end
$$;

create function tests.get_supabase_uid(identifier text) returns uuid
language sql stable
return (tests.get_supabase_user(identifier) ->> 'id')::uuid;

-- Switches to the user for the rest of the transaction, as a request with the user's access token would.
create function tests.authenticate_as(identifier text) returns void
language plpgsql
as $$
declare
  known json := tests.get_supabase_user(identifier);
begin
  perform set_config('role', 'authenticated', true);
  perform set_config('request.jwt.claims', json_build_object(
    'sub', known ->> 'id', 'email', known ->> 'email', 'phone', known ->> 'phone', 'role', 'authenticated',
    'user_metadata', known -> 'raw_user_meta_data', 'app_metadata', known -> 'raw_app_meta_data')::text, true);
end
$$;

create function tests.authenticate_as_service_role() returns void
language plpgsql
as $$
begin
  perform set_config('role', 'service_role', true);
  perform set_config('request.jwt.claims', null, true);
end
$$;

create function tests.clear_authentication() returns void
language plpgsql
as $$
begin
  perform set_config('role', 'anon', true);
  perform set_config('request.jwt.claims', null, true);
end
$$;

-- Functions that pgTAP tests call. They are written in plpgsql, because pgTAP may be created later and in any schema.
create function tests.rls_enabled(testing_schema text) returns text
language plpgsql
as $$
begin
  return is(
    (select count(*) from pg_class c
     where c.relnamespace = testing_schema::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity),
    0::bigint,
    'All tables in the ' || testing_schema || ' schema should have row level security enabled');
end
$$;

create function tests.rls_enabled(testing_schema text, testing_table text) returns text
language plpgsql
as $$
begin
  return is(
    (select count(*) from pg_class c
     where c.relnamespace = testing_schema::regnamespace and c.relname = testing_table and c.relkind in ('r', 'p') and c.relrowsecurity),
    1::bigint,
    testing_table || ' table in the ' || testing_schema || ' schema should have row level security enabled');
end
$$;

-- A frozen time hides the built-in now() when names are resolved later in the transaction.
create function test_overrides.now() returns timestamptz
language sql stable
return coalesce(nullif(current_setting('tests.frozen_time', true), '')::timestamptz, pg_catalog.now());

create function tests.freeze_time(frozen_time timestamptz) returns void
language plpgsql
as $$
begin
  perform set_config('tests.frozen_time', frozen_time::text, true);
  if current_setting('search_path') not like 'test_overrides,%' then
    perform set_config('search_path', 'test_overrides, ' || current_setting('search_path') || ', pg_catalog', true);
  end if;
end
$$;

create function tests.unfreeze_time() returns void
language plpgsql
as $$
begin
  perform set_config('tests.frozen_time', null, true);
end
$$;

-- Tests call these functions after they have switched to an API role. The project's default privileges might not allow
-- that. REST never exposes the functions of this extension.
revoke execute on all functions in schema tests, test_overrides from public;
grant execute on all functions in schema tests, test_overrides to anon, authenticated, service_role;
