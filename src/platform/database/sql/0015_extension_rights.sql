-- A superuser owns the objects of an extension that `postgres` creates, and default privileges applied to these
-- objects. The API roles therefore had access to every function in their schemas, including functions that the
-- extension reserves for superusers. Now they have the privileges that the extension grants to PUBLIC.
do $$
declare
  entry record;
begin
  for entry in
    select n.nspname as schema, acl.grantee::regrole::text as grantee,
      case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' end as kind
    from pg_catalog.pg_default_acl d
    join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
    cross join lateral pg_catalog.aclexplode(d.defaclacl) acl
    where d.defaclrole = to_regrole('supabase_admin')
      and acl.grantee in (to_regrole('anon'), to_regrole('authenticated'), to_regrole('service_role'))
    group by 1, 2, 3
  loop
    perform _plinth.attempt(format('alter default privileges for role supabase_admin in schema %I revoke all on %s from %s',
      entry.schema, entry.kind, entry.grantee));
  end loop;
end
$$;

-- Corrects the privileges of the extensions that are already installed. Grants by roles other than the owner are kept,
-- as are grants of Plinth's own extensions in their schemas.
do $$
declare
  entry record;
begin
  for entry in
    select made.kind, made.name, acl.grantee::regrole::text as grantee
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on e.oid = d.refobjid
    cross join lateral (
      select 'function' as kind, p.oid::regprocedure::text as name, p.proowner as owner, p.proacl as acl
      from pg_catalog.pg_proc p where d.classid = 'pg_catalog.pg_proc'::regclass and p.oid = d.objid
      union all
      select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass::text, c.relowner, c.relacl
      from pg_catalog.pg_class c
      where d.classid = 'pg_catalog.pg_class'::regclass and c.oid = d.objid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ) made
    cross join lateral pg_catalog.aclexplode(made.acl) acl
    where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
      and e.extname not in ('supabase_vault', 'pg_net', 'pg_cron', 'pgmq')
      and made.owner = to_regrole('supabase_admin') and acl.grantor = made.owner
      and acl.grantee in (to_regrole('anon'), to_regrole('authenticated'), to_regrole('service_role'))
    group by 1, 2, 3
  loop
    perform _plinth.attempt(format('revoke all on %s %s from %s', entry.kind, entry.name, entry.grantee));
  end loop;
end
$$;

-- Gives dblink and pg_prewarm the privileges that their scripts now set (extension-amendments/).
do $$
declare
  made record;
begin
  for made in
    select p.oid::regprocedure::text as name, p.proname
    from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on e.oid = d.refobjid
    join pg_catalog.pg_proc p on p.oid = d.objid
    where (e.extname = 'dblink' or e.extname = 'pg_prewarm' and p.proname ~ '^autoprewarm_') and d.refclassid = 'pg_catalog.pg_extension'::regclass
      and d.classid = 'pg_catalog.pg_proc'::regclass and d.deptype = 'e'
      and p.proowner = to_regrole('supabase_admin')
  loop
    if made.proname = 'dblink_connect_u' then
      perform _plinth.attempt(format('alter function %s security invoker', made.name));
    end if;
    perform _plinth.attempt(format('revoke all on function %s from public', made.name));
    perform _plinth.attempt(format('grant execute on function %s to postgres with grant option', made.name));
  end loop;
end
$$;
