-- The roles with their memberships and settings, and the parameters that `postgres` can set.

-- Roles belong to the whole cluster, so another database may have created them already.
--
-- A role with REPLICATION can choose the library that decodes a slot, from any path. If a user could store a library on
-- this machine, for example as an uploaded object, the server would run it. In Plinth's own cluster, a project can
-- therefore switch only to roles without REPLICATION.
do $$
declare
  wanted record;
  is_new boolean;
  attribute text;
  may_all constant boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
  replication_of_postgres constant text := case when _plinth.is_own_cluster() then 'noreplication' else 'replication' end;
begin
  for wanted in
    select * from (values
      ('supabase_admin', 'superuser login createdb createrole replication bypassrls inherit'),
      ('postgres', 'login createdb createrole bypassrls inherit ' || replication_of_postgres),
      ('anon', 'nologin inherit'),
      ('authenticated', 'nologin inherit'),
      ('service_role', 'nologin inherit bypassrls'),
      ('authenticator', 'login noinherit'),
      ('supabase_auth_admin', 'login noinherit'),
      ('supabase_storage_admin', 'login noinherit createrole'),
      ('supabase_realtime_admin', 'login noinherit createrole noreplication'),
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

-- The authenticator switches to the API roles and never inherits from them. The realtime service can switch to every
-- role that the authenticator can switch to, such as a role of the project that tokens name.
select _plinth.attempt('grant anon, authenticated, service_role to authenticator');
select _plinth.attempt('grant anon, authenticated, service_role to supabase_realtime_admin');
select _plinth.attempt('grant authenticator to supabase_realtime_admin');
select _plinth.attempt('grant authenticator to supabase_storage_admin');
select _plinth.attempt('grant anon, authenticated, service_role, authenticator to postgres with admin option');
select _plinth.attempt('grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres with admin option');
select _plinth.attempt('grant pg_create_subscription to postgres', 160000);
select _plinth.attempt('grant pg_maintain to postgres', 170000);
select _plinth.attempt('grant pg_read_all_data to supabase_read_only_user');
select _plinth.attempt('grant pg_monitor to supabase_read_only_user');
select _plinth.attempt('grant pg_monitor, pg_read_all_data to supabase_etl_admin');

-- On the hosted service, `postgres` can write policies and drop triggers on tables that it doesn't own. In plain
-- PostgreSQL, membership in the owner roles makes that possible. The guards reject anything else that membership would
-- allow.
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
select _plinth.attempt($$alter role supabase_auth_admin set search_path = auth$$);
select _plinth.attempt($$alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s'$$);
select _plinth.attempt($$alter role supabase_storage_admin set search_path = storage$$);
select _plinth.attempt($$alter role supabase_realtime_admin set search_path = realtime$$);
select _plinth.attempt($$alter role supabase_functions_admin set search_path = supabase_functions$$);
-- Plinth's superuser sessions set this path when they start. The setting also covers all other sessions of this role.
select _plinth.attempt('alter role supabase_admin set search_path = pg_catalog, pg_temp');
-- Prevents a project's login trigger from running as this role.
select _plinth.attempt('alter role supabase_replication_admin set event_triggers = off', 170000);
select _plinth.attempt('alter role supabase_replication_admin set search_path = pg_catalog, pg_temp');
-- Queries of read-only Console operators run as this role.
select _plinth.attempt('alter role supabase_read_only_user set search_path = "$user", public, extensions');
select _plinth.attempt('alter role supabase_read_only_user set default_transaction_read_only = on');
do $$
begin
  if _plinth.is_own_cluster() then
    alter role postgres set search_path = "$user", public, extensions;
    -- Prevents users' event triggers from running with Plinth's privileges.
    perform _plinth.attempt('alter role supabase_admin set event_triggers = off', 170000);
    execute format('alter database %I owner to postgres', current_database());
  end if;
end
$$;

-- Parameters that `postgres` can set with `alter role`, `alter database` or `set` although PostgreSQL reserves them for
-- superusers or doesn't define them. They are listed by name because wildcards aren't supported.
do $$
declare
  parameter text;
begin
  foreach parameter in array array[
    -- Dumps and maintenance use these parameters.
    'session_replication_role', 'deadlock_timeout', 'track_io_timing', 'track_functions', 'wal_compression',
    'log_duration', 'log_error_verbosity', 'log_lock_waits', 'log_min_duration_sample', 'log_min_duration_statement',
    'log_min_error_statement', 'log_min_messages', 'log_parameter_max_length', 'log_replication_commands',
    'log_statement', 'log_statement_sample_rate', 'log_temp_files', 'log_transaction_sample_rate',
    'auto_explain.log_analyze', 'auto_explain.log_buffers', 'auto_explain.log_format', 'auto_explain.log_level',
    'auto_explain.log_min_duration', 'auto_explain.log_nested_statements', 'auto_explain.log_parameter_max_length',
    'auto_explain.log_settings', 'auto_explain.log_timing', 'auto_explain.log_triggers', 'auto_explain.log_verbose',
    'auto_explain.log_wal', 'auto_explain.sample_rate',
    'pg_stat_statements.track', 'pg_stat_statements.track_planning', 'pg_stat_statements.track_utility',
    'pg_stat_statements.save',
    -- The workers of pg_net and pg_cron read these parameters.
    'pg_net.batch_size', 'pg_net.ttl', 'cron.timezone',
    -- The REST service reads these parameters of its role and its database.
    'pgrst.client_error_verbosity', 'pgrst.db_aggregates_enabled', 'pgrst.db_anon_role', 'pgrst.db_channel',
    'pgrst.db_extra_search_path', 'pgrst.db_hoisted_tx_settings', 'pgrst.db_max_rows', 'pgrst.db_plan_enabled',
    'pgrst.db_pre_config', 'pgrst.db_pre_request', 'pgrst.db_prepared_statements', 'pgrst.db_root_spec',
    'pgrst.db_schema', 'pgrst.db_schemas', 'pgrst.db_timezone_enabled', 'pgrst.db_tx_end', 'pgrst.db_use_legacy_gucs',
    'pgrst.jwt_aud', 'pgrst.jwt_cache_max_lifetime', 'pgrst.jwt_role_claim_key', 'pgrst.jwt_secret',
    'pgrst.jwt_secret_is_base64', 'pgrst.log_level', 'pgrst.log_query', 'pgrst.openapi_mode',
    'pgrst.openapi_security_active', 'pgrst.openapi_server_proxy_uri', 'pgrst.server_cors_allowed_origins',
    'pgrst.server_timing_enabled', 'pgrst.server_trace_header', 'pgrst.url_use_legacy_target_names',
    -- Projects use these names for their own parameters.
    'app.settings.anon_key', 'app.settings.api_url', 'app.settings.base_url', 'app.settings.cron_secret',
    'app.settings.edge_function_url', 'app.settings.encryption_key', 'app.settings.environment',
    'app.settings.functions_url', 'app.settings.jwt_exp', 'app.settings.jwt_secret', 'app.settings.project_ref',
    'app.settings.project_url', 'app.settings.service_key', 'app.settings.service_role_key', 'app.settings.service_url',
    'app.settings.supabase_anon_key', 'app.settings.supabase_functions_url', 'app.settings.supabase_service_role_key',
    'app.settings.supabase_url', 'app.settings.webhook_secret', 'app.settings.webhook_url'
  ] loop
    perform _plinth.attempt(format('grant set on parameter %I to postgres', parameter));
  end loop;
end
$$;
select _plinth.attempt('grant execute on function pg_catalog.pg_reload_conf() to postgres');
