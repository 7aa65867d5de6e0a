-- In stock PostgreSQL, any role can start pg_prewarm's background worker, which writes a file.
set local search_path = pg_catalog, pg_temp;
do $$
declare
  made text;
begin
  for made in
    select d.objid::regprocedure::text
    from pg_depend d join pg_extension e on e.oid = d.refobjid join pg_proc p on p.oid = d.objid
    where e.extname = 'pg_prewarm' and d.refclassid = 'pg_extension'::regclass
      and d.classid = 'pg_proc'::regclass and d.deptype = 'e' and p.proname ~ '^autoprewarm_'
  loop
    execute format('revoke all on function %s from public', made);
    execute format('grant execute on function %s to postgres with grant option', made);
  end loop;
end
$$;
