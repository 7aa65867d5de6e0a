-- Updates pg_cron in existing databases, so that jobs continue to run immediately after the clock was set back.
do $update$
begin
  if not exists (select from pg_catalog.pg_extension where extname = 'pg_cron')
    or not exists (
      select from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
      where n.nspname = 'cron' and r.rolsuper)
  then
    return;
  end if;
  -- Before version 16, this function raises an error if a schema in the signature doesn't exist.
  if pg_catalog.to_regprocedure('cron._due(cron._spec,timestamptz,timestamptz,text)') is null then
    return;
  end if;
  execute $script$
create or replace function cron._due(spec cron._spec, last timestamptz, moment timestamptz, zone text) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- A time that lies in the future was stored before the clock was set back, so it is ignored. As in Vixie cron, jobs
  -- at a certain hour aren't repeated if the clock was set back by less than three hours.
  select case
    when spec.at_start then
      case when last < pg_postmaster_start_time() or last > moment + interval '1 minute' then pg_postmaster_start_time() end
    when spec.every_seconds is not null then
      case when last + make_interval(secs => spec.every_seconds) <= moment or last > moment + interval '1 minute' then moment end
    when (last < date_trunc('minute', moment)
        or last > moment + case when cardinality(spec.hours) < 24 then interval '3 hours' else interval '1 minute' end)
      and cron._matches(spec, date_trunc('minute', moment at time zone zone)) then
      date_trunc('minute', moment)
  end
$$;
  $script$;
end
$update$;
