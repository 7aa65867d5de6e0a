-- In stock PostgreSQL, these two functions run as the superuser who created the extension. They connect without a
-- password, as the server's operating system user, to any server that trusts that user. In Plinth, they behave like
-- dblink_connect.
alter function dblink_connect_u(text) security invoker;
alter function dblink_connect_u(text, text) security invoker;

-- API clients can call any function that PUBLIC can call. They must not open connections from this server, so only
-- `postgres` can grant this privilege.
set local search_path = pg_catalog, pg_temp;
do $$
declare
  made text;
begin
  for made in
    select d.objid::regprocedure::text
    from pg_depend d join pg_extension e on e.oid = d.refobjid
    where e.extname = 'dblink' and d.refclassid = 'pg_extension'::regclass
      and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
  loop
    execute format('revoke all on function %s from public', made);
    execute format('grant execute on function %s to postgres with grant option', made);
  end loop;
end
$$;

-- `postgres` owns the wrapper, so that it can create servers and connect to them by their names. extension-amendments/
-- postgres_fdw.sql explains the change.
do $$
declare
  wrapper name;
  is_superuser constant boolean := (select rolsuper from pg_roles where rolname = 'postgres');
begin
  for wrapper in
    select w.fdwname from pg_foreign_data_wrapper w
    join pg_depend d on d.classid = 'pg_foreign_data_wrapper'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
    join pg_extension e on e.oid = d.refobjid and e.extname = 'dblink'
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
