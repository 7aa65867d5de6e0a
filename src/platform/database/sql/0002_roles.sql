-- Roles belong to the whole cluster, so another database may have created them already.
do $$
declare
  wanted record;
  is_new boolean;
  attribute text;
  may_all constant boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
begin
  for wanted in
    select * from (values
      ('supabase_admin', 'superuser login createdb createrole replication bypassrls inherit'),
      ('postgres', 'login createdb createrole replication bypassrls inherit'),
      ('anon', 'nologin inherit'),
      ('authenticated', 'nologin inherit'),
      ('service_role', 'nologin inherit bypassrls'),
      ('authenticator', 'login noinherit'),
      ('supabase_auth_admin', 'login noinherit'),
      ('supabase_storage_admin', 'login noinherit createrole'),
      ('supabase_realtime_admin', 'login noinherit createrole replication'),
      ('supabase_functions_admin', 'login noinherit createrole'),
      ('supabase_replication_admin', 'login replication'),
      ('supabase_etl_admin', 'login replication'),
      ('supabase_read_only_user', 'login bypassrls'),
      ('supabase_privileged_role', 'nologin'),
      ('dashboard_user', 'nologin createdb createrole replication'),
      ('pgbouncer', 'login')
    ) as roles (name, attributes)
  loop
    is_new := not exists (select from pg_catalog.pg_roles where rolname = wanted.name);
    if is_new then
      begin
        execute format('create role %I', wanted.name);
      exception when duplicate_object or unique_violation then
        is_new := false; -- another database of this cluster was quicker
      end;
    end if;
    if may_all then
      -- On other clusters, an existing `postgres` account belongs to someone else.
      if is_new or (wanted.name <> 'supabase_admin' and (wanted.name <> 'postgres' or _plinth.is_own_cluster())) then
        execute format('alter role %I %s', wanted.name, wanted.attributes);
      end if;
    elsif is_new then
      -- Attributes are set one at a time, because an account that can't set BYPASSRLS may still be able to set LOGIN.
      foreach attribute in array string_to_array(wanted.attributes, ' ') loop
        perform _plinth.attempt(format('alter role %I %s', wanted.name, attribute));
      end loop;
      perform _plinth.attempt(format('grant %I to current_user', wanted.name));
    end if;
  end loop;
end
$$;

-- Grants memberships. The authenticator switches to the API roles and never inherits from them.
select _plinth.attempt('grant anon, authenticated, service_role to authenticator');
select _plinth.attempt('grant anon, authenticated, service_role to supabase_realtime_admin');
select _plinth.attempt('grant authenticator to supabase_storage_admin');
select _plinth.attempt('grant anon, authenticated, service_role, authenticator to postgres with admin option');
select _plinth.attempt('grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres with admin option');
select _plinth.attempt('grant pg_create_subscription to postgres', 160000);
select _plinth.attempt('grant pg_maintain to postgres', 170000);
select _plinth.attempt('grant pg_read_all_data to supabase_read_only_user');
select _plinth.attempt('grant pg_monitor to supabase_read_only_user');
select _plinth.attempt('grant pg_monitor, pg_read_all_data to supabase_etl_admin');

-- On the hosted service, `postgres` can write policies and drop triggers on tables that it doesn't own. In plain
-- PostgreSQL, membership in the owner roles makes that possible. The guard (0001) rejects anything else that membership
-- would allow.
do $$
declare
  owner name;
begin
  foreach owner in array array['supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin', 'supabase_functions_admin']
  loop
    if current_setting('server_version_num')::int >= 160000 then
      perform _plinth.attempt(format('grant %I to postgres with inherit true, set true', owner));
    else
      perform _plinth.attempt(format('grant %I to postgres', owner));
    end if;
  end loop;
end
$$;

-- Settings of roles. PostgreSQL applies them when the role connects. When a service switches to a role, the service
-- applies the role's settings.
select _plinth.attempt($$alter role anon set statement_timeout = '3s'$$);
select _plinth.attempt($$alter role authenticated set statement_timeout = '8s'$$);
select _plinth.attempt($$alter role authenticator set statement_timeout = '8s'$$);
select _plinth.attempt($$alter role authenticator set lock_timeout = '8s'$$);
select _plinth.attempt($$alter role supabase_admin set search_path = "$user", public, auth, extensions$$);
select _plinth.attempt($$alter role supabase_auth_admin set search_path = auth$$);
select _plinth.attempt($$alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s'$$);
select _plinth.attempt($$alter role supabase_storage_admin set search_path = storage$$);
select _plinth.attempt($$alter role supabase_realtime_admin set search_path = realtime$$);
select _plinth.attempt($$alter role supabase_functions_admin set search_path = supabase_functions$$);
do $$
begin
  if _plinth.is_own_cluster() then
    alter role postgres set search_path = "$user", public, extensions;
    -- This setting prevents users' event triggers from running with Plinth's privileges.
    if current_setting('server_version_num')::int >= 170000 then
      execute 'alter role supabase_admin set event_triggers = off';
    end if;
    execute format('alter database %I owner to postgres', current_database());
  end if;
end
$$;
