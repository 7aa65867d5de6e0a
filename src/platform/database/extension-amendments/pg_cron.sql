-- The grants of the hosted service. Only servers that provide pg_cron themselves use this file, because Plinth's own
-- script contains its grants.
set local search_path = pg_catalog, pg_temp;
grant usage on schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
revoke all on table cron.job from postgres;
grant select on table cron.job to postgres with grant option;
