-- Stock PostgreSQL runs these two as the superuser who made the extension, so that they connect without a password: as this
-- server's user of the machine, to whatever trusts it. Here they are the same as dblink_connect.
alter function dblink_connect_u(text) security invoker;
alter function dblink_connect_u(text, text) security invoker;

-- A connection from this server to any address is not for clients of the API, who may call what PUBLIC may: `postgres` decides.
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
