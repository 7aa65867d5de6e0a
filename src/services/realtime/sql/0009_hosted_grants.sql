-- A role that can insert subscriptions can also use their sequence, as on the hosted service.
set local role supabase_realtime_admin;

grant all on sequence realtime.subscription_id_seq to postgres, dashboard_user;
grant usage on sequence realtime.subscription_id_seq to anon, authenticated, service_role;
