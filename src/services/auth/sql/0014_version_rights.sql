-- As on the hosted service, only the owner can change the applied versions. `postgres` can read them.
set local role supabase_auth_admin;

revoke all on auth.schema_migrations from dashboard_user, postgres;
grant select on auth.schema_migrations to postgres with grant option;
