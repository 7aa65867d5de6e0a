-- As on the hosted service, no role but the owner changes which versions are applied; `postgres` reads them.
set local role supabase_auth_admin;

revoke all on auth.schema_migrations from dashboard_user, postgres;
grant select on auth.schema_migrations to postgres with grant option;
