-- Gives existing wrappers the owner that the extensions' scripts now set (extension-amendments/).
do $$
declare
  wrapper name;
begin
  if not _plinth.is_own_cluster() then
    return;
  end if;
  for wrapper in
    select w.fdwname from pg_catalog.pg_foreign_data_wrapper w
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_foreign_data_wrapper'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname in ('dblink', 'postgres_fdw')
    where w.fdwowner = current_user::regrole
  loop
    alter role postgres superuser;
    execute format('alter foreign data wrapper %I owner to postgres', wrapper);
    alter role postgres nosuperuser;
  end loop;
end
$$;
