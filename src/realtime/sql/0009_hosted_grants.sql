-- Grants of the hosted service: a role that can insert subscriptions can use their sequence.
set local role supabase_realtime_admin;

grant all on sequence realtime.subscription_id_seq to postgres, dashboard_user;
grant usage on sequence realtime.subscription_id_seq to anon, authenticated, service_role;
