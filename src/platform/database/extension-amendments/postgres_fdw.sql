-- As on the hosted service, `postgres` owns the wrapper. A wrapper's owner can create servers and grant this privilege,
-- but only a superuser can change the wrapper's handler, validator or options. PostgreSQL requires that the owner is a
-- superuser at the time of the change. Other sessions never see `postgres` as a superuser, because the attribute is
-- removed in the same statement. The script of an update also contains this statement, so the project may have renamed
-- or removed the wrapper.
set local search_path = pg_catalog, pg_temp;
do $$
declare
  wrapper name;
  is_superuser constant boolean := (select rolsuper from pg_roles where rolname = 'postgres');
begin
  for wrapper in
    select w.fdwname from pg_foreign_data_wrapper w
    join pg_depend d on d.classid = 'pg_foreign_data_wrapper'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
    join pg_extension e on e.oid = d.refobjid and e.extname = 'postgres_fdw'
    where w.fdwowner <> 'postgres'::regrole
  loop
    if not is_superuser then
      alter role postgres superuser;
    end if;
    execute format('alter foreign data wrapper %I owner to postgres', wrapper);
    if not is_superuser then
      alter role postgres nosuperuser;
    end if;
  end loop;
end
$$;
