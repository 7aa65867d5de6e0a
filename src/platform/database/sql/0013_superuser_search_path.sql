-- Plinth's superuser sessions set this path when they start. The setting also covers all other sessions of this role.
select _plinth.attempt('alter role supabase_admin set search_path = pg_catalog, pg_temp');

-- Queries of read-only Console operators run as this role.
select _plinth.attempt('alter role supabase_read_only_user set search_path = "$user", public, extensions');
select _plinth.attempt('alter role supabase_read_only_user set default_transaction_read_only = on');

-- A superuser's definer functions can be called by any role. With an empty path, temporary types and relations are
-- still found before PostgreSQL's own. With the path that is set here, they are found last.
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
