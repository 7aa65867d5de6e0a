-- The views belong to the role that creates the extension. Without this statement, that role's default privileges in
-- `public` would grant the API roles all privileges on the views.
do $$
declare
  made record;
begin
  for made in
    select c.oid::pg_catalog.regclass as view, acl.grantee::pg_catalog.regrole as grantee
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on e.oid = d.refobjid
    join pg_catalog.pg_class c on c.oid = d.objid and c.relkind = 'v'
    cross join pg_catalog.aclexplode(c.relacl) as acl
    where e.extname = 'pgtap' and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'e' and acl.grantee not in (0, c.relowner)
  loop
    execute pg_catalog.format('revoke all on %s from %s', made.view, made.grantee);
  end loop;
end
$$;

-- The functions also belong to the role that creates the extension. In a project whose default privileges deny EXECUTE
-- to PUBLIC, no other role could run tests. In upstream, a superuser owns the functions, so those default privileges
-- don't apply.
do $$
declare
  made record;
begin
  for made in
    select p.oid::pg_catalog.regprocedure as function
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on e.oid = d.refobjid
    join pg_catalog.pg_proc p on p.oid = d.objid
    where e.extname = 'pgtap' and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      and d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.deptype = 'e'
      and not exists (
        select from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as acl
        where acl.grantee = 0)
  loop
    execute pg_catalog.format('grant execute on routine %s to public', made.function);
  end loop;
end
$$;
