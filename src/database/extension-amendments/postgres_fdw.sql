-- As on the hosted service, `postgres` owns the wrapper. A wrapper's owner can create servers and grant this privilege,
-- but only a superuser can change the wrapper's handler, validator or options. PostgreSQL requires that the owner is a
-- superuser at the time of the change. Other sessions never see `postgres` as a superuser, because the attribute is
-- removed in the same statement.
set local search_path = pg_catalog, pg_temp;
do $$
declare
  is_superuser constant boolean := (select rolsuper from pg_roles where rolname = 'postgres');
begin
  if not is_superuser then
    alter role postgres superuser;
  end if;
  alter foreign data wrapper postgres_fdw owner to postgres;
  if not is_superuser then
    alter role postgres nosuperuser;
  end if;
end
$$;
