-- Settings that `postgres` can change although PostgreSQL reserves them for superusers or doesn't define them. They are
-- listed by name because wildcards aren't supported.
do $$
declare
  parameter text;
begin
  foreach parameter in array array[
    -- These settings are used by dumps and maintenance.
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
    -- The REST service reads these settings of its role and its database.
    'pgrst.client_error_verbosity', 'pgrst.db_aggregates_enabled', 'pgrst.db_anon_role', 'pgrst.db_channel',
    'pgrst.db_extra_search_path', 'pgrst.db_hoisted_tx_settings', 'pgrst.db_max_rows', 'pgrst.db_plan_enabled',
    'pgrst.db_pre_config', 'pgrst.db_pre_request', 'pgrst.db_prepared_statements', 'pgrst.db_root_spec',
    'pgrst.db_schema', 'pgrst.db_schemas', 'pgrst.db_timezone_enabled', 'pgrst.db_tx_end', 'pgrst.db_use_legacy_gucs',
    'pgrst.jwt_aud', 'pgrst.jwt_cache_max_lifetime', 'pgrst.jwt_role_claim_key', 'pgrst.jwt_secret',
    'pgrst.jwt_secret_is_base64', 'pgrst.log_level', 'pgrst.log_query', 'pgrst.openapi_mode',
    'pgrst.openapi_security_active', 'pgrst.openapi_server_proxy_uri', 'pgrst.server_cors_allowed_origins',
    'pgrst.server_timing_enabled', 'pgrst.server_trace_header', 'pgrst.url_use_legacy_target_names',
    -- Projects use these names for their own settings.
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
