-- The catalog's lists show only extensions that the current role can create. Migrations use the lists as conditions
-- ("if the extension is available, create and use it"). If the lists contained placeholders
-- (src/platform/database/extensions/missing.ts) or extensions that only superusers can create, migrations would
-- continue with statements that fail.
--
-- Upgrades to another PostgreSQL version apply this file again, because the new cluster has its own system views.
do $$
begin
  if not _plinth.is_own_cluster() then
    return;
  end if;
  set local allow_system_table_mods = on;

  create or replace view pg_catalog.pg_available_extension_versions as
    select e.name, e.version, (x.extname is not null) as installed, e.superuser, e.trusted, e.relocatable, e.schema, e.requires, e.comment
    from pg_catalog.pg_available_extension_versions() e
      (name, version, superuser, trusted, relocatable, schema, requires, comment)
    left join pg_catalog.pg_extension x on x.extname = e.name and x.extversion = e.version
    where e.version <> 'placeholder'
      and (e.trusted or not e.superuser or x.extname is not null
        or (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user));

  create or replace view pg_catalog.pg_available_extensions as
    select e.name, e.default_version, x.extversion as installed_version, e.comment
    from pg_catalog.pg_available_extensions() e (name, default_version, comment)
    left join pg_catalog.pg_extension x on x.extname = e.name
    where exists (select from pg_catalog.pg_available_extension_versions v where v.name = e.name);

  set local allow_system_table_mods = off;
end
$$;
