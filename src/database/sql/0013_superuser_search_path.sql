-- Our superuser sessions name this path themselves when they begin; anybody else who signs in as this role gets it too.
select _plinth.attempt('alter role supabase_admin set search_path = pg_catalog, pg_temp');

-- What read-only operators of the Console ask runs as this role.
select _plinth.attempt('alter role supabase_read_only_user set search_path = "$user", public, extensions');
select _plinth.attempt('alter role supabase_read_only_user set default_transaction_read_only = on');

-- Definer functions of a superuser run for anybody. An empty path still finds temporary types and relations before
-- PostgreSQL's own ones; this one finds them last.
do $$
declare
  found record;
begin
  for found in
    select p.oid::regprocedure::text as name
    from pg_catalog.pg_proc p
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.prosecdef and r.rolsuper
      and p.pronamespace = any (array(
        select oid from pg_catalog.pg_namespace where nspname in ('_plinth', 'storage', 'supabase_functions', 'vault', 'cron')))
      and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']
  loop
    perform _plinth.attempt(format('alter function %s set search_path = pg_catalog, pg_temp', found.name));
  end loop;
end
$$;
