-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Packages are rows, not files. A control file that a project's SQL can write would be a script that a later CREATE
-- EXTENSION of a superuser executes. Therefore, `create_extension` runs a package's script itself, as its caller. The
-- migration runner calls it for CREATE EXTENSION. All functions run as their caller, and the project owns them.

do $$
begin
  if not exists (select from pg_roles where rolname = 'pgtle_admin') then
    create role pgtle_admin;
  end if;
  grant pgtle_admin to postgres with admin option;
end
$$;

create table pgtle.extension (
  name text primary key,
  default_version text not null,
  comment text,
  requires text[]
);
create table pgtle.script (
  name text not null references pgtle.extension (name) on delete cascade,
  from_version text not null default '',
  version text not null,
  sql text not null,
  primary key (name, from_version, version)
);
-- Packages that were created, with the objects of each, in the order of their creation.
create table pgtle.created (
  name text primary key,
  version text not null,
  schema text not null,
  objects jsonb not null default '[]'
);
select pg_extension_config_dump('pgtle.extension', '');
select pg_extension_config_dump('pgtle.script', '');
select pg_extension_config_dump('pgtle.created', '');

create function pgtle._checked(value text, what text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if value is null or value !~ '^[A-Za-z0-9_@.+]([A-Za-z0-9_@.+-]*[A-Za-z0-9_@.+])?$' or strpos(value, '--') > 0
    or length(value) > 63 then
    raise exception using errcode = '22023', message = format('invalid %s: %L', what, value);
  end if;
  return value;
end
$$;

create function pgtle.install_extension(
  name text, version text, description text, ext text, requires text[] default null
) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgtle._checked(install_extension.name, 'extension name');
  perform pgtle._checked(install_extension.version, 'extension version');
  if exists (select from pgtle.extension e where e.name = install_extension.name) then
    raise exception using errcode = '42710', message = format('extension "%s" already installed', install_extension.name);
  end if;
  insert into pgtle.extension (name, default_version, comment, requires)
  values (install_extension.name, install_extension.version, description, install_extension.requires);
  insert into pgtle.script (name, version, sql)
  values (install_extension.name, install_extension.version, ext);
  return true;
end
$$;

create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgtle._checked(install_extension_version_sql.version, 'extension version');
  insert into pgtle.script (name, version, sql)
  values (install_extension_version_sql.name, install_extension_version_sql.version, ext);
  return true;
end
$$;

create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  insert into pgtle.script (name, from_version, version, sql)
  values (install_update_path.name, pgtle._checked(fromvers, 'extension version'),
    pgtle._checked(tovers, 'extension version'), ext);
  return true;
end
$$;

create function pgtle.set_default_version(name text, version text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  update pgtle.extension e set default_version = set_default_version.version
  where e.name = set_default_version.name and exists (
    select from pgtle.script s where s.name = e.name and s.version = set_default_version.version);
  if not found then
    raise exception using errcode = '42704', message = format('extension "%s" does not have version %s',
      set_default_version.name, set_default_version.version);
  end if;
  return true;
end
$$;

create function pgtle.uninstall_extension_if_exists(extname text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from pgtle.extension e where e.name = extname;
  return found;
end
$$;

create function pgtle.uninstall_extension(extname text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if not pgtle.uninstall_extension_if_exists(extname) then
    raise exception using errcode = '42704', message = format('Extension %s does not exist', extname);
  end if;
  return true;
end
$$;

create function pgtle.uninstall_extension(extname text, version text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from pgtle.script s where s.name = extname and s.version = uninstall_extension.version;
  if not found then
    raise exception using errcode = '42704', message = format('Version %s of extension %s does not exist', version, extname);
  end if;
  return true;
end
$$;

create function pgtle.uninstall_update_path_if_exists(extname text, fromvers text, tovers text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from pgtle.script s where s.name = extname and s.from_version = fromvers and s.version = tovers;
  return found;
end
$$;

create function pgtle.uninstall_update_path(extname text, fromvers text, tovers text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if not pgtle.uninstall_update_path_if_exists(extname, fromvers, tovers) then
    raise exception using errcode = '42704', message = format('Extension %s does not have this update path', extname);
  end if;
  return true;
end
$$;

create function pgtle.available_extensions(out name name, out default_version text, out comment text)
returns setof record
language sql stable set search_path = pg_catalog, pg_temp
as $$ select e.name::name, e.default_version, e.comment from pgtle.extension e order by e.name $$;

create function pgtle.available_extension_versions(
  out name name, out version text, out superuser boolean, out trusted boolean, out relocatable boolean,
  out schema name, out requires name[], out comment text
) returns setof record
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select e.name::name, s.version, false, false, false, null::name, e.requires::name[], e.comment
  from pgtle.extension e join pgtle.script s on s.name = e.name and s.from_version = '' order by e.name, s.version
$$;

create function pgtle.extension_update_paths(name name, out source text, out target text, out path text)
returns setof record
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select s.from_version, s.version, s.from_version || '--' || s.version
  from pgtle.script s where s.name = extension_update_paths.name::text and s.from_version <> ''
$$;

-- Returns the shortest chain of scripts from one version (or from nothing, '') to another.
create function pgtle._chain(name text, source text, target text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with recursive chain (version, scripts, seen) as (
    select source, array[]::text[], array[source]
    union all
    select s.version, chain.scripts || s.sql, chain.seen || s.version
    from chain join pgtle.script s on s.name = _chain.name and s.from_version = chain.version
    where s.version <> all (chain.seen)
  )
  select scripts from chain where version = target and version <> source order by cardinality(scripts) limit 1
$$;

-- Lists the objects that a script can create, as rows of pg_depend do.
create function pgtle._objects() returns table (class oid, object oid)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select classid, objid from pg_depend
  where refclassid = 'pg_namespace'::regclass and deptype = 'n' and objid >= 16384
  union
  select 'pg_namespace'::regclass, oid from pg_namespace where oid >= 16384
  union
  select 'pg_trigger'::regclass, oid from pg_trigger where not tgisinternal
  union
  select 'pg_cast'::regclass, oid from pg_cast where oid >= 16384
$$;

-- Runs scripts with `schema` as the first entry of `search_path`, and records what they created.
create function pgtle._run(name text, schema text, scripts text[]) returns void
language plpgsql
as $$
declare
  before constant oid[] := array(select o.object from pgtle._objects() o);
  path constant text := pg_catalog.current_setting('search_path');
  script text;
begin
  perform pg_catalog.set_config('search_path', pg_catalog.format('%I, pg_temp', schema), true);
  foreach script in array scripts loop
    -- psql commands at the beginning of a script only say how to use it. The placeholder is written in two parts, because
    -- PostgreSQL replaces it in this script, too.
    execute pg_catalog.replace(pg_catalog.regexp_replace(script, '^[ \t]*\\[^\n]*$', '', 'gn'),
      '@' || 'extschema@', pg_catalog.quote_ident(schema));
  end loop;
  perform pg_catalog.set_config('search_path', path, true);
  update pgtle.created c set objects = c.objects operator(pg_catalog.||) coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(o.class::bigint, o.object::bigint) order by o.object)
    from pgtle._objects() o where not o.object operator(pg_catalog.=) any (before)), '[]')
  where c.name operator(pg_catalog.=) _run.name;
end
$$;

-- Creates a package. The migration runner calls this function for CREATE EXTENSION.
create function pgtle.create_extension(
  name text, schema text default null, version text default null, if_not_exists boolean default false
) returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  package constant pgtle.extension := (select e from pgtle.extension e where e.name = create_extension.name);
  wanted constant text := coalesce(create_extension.version, package.default_version);
  target constant text := coalesce(create_extension.schema, pg_catalog.current_schema());
  scripts constant text[] := pgtle._chain(create_extension.name, '', wanted);
  needed text;
begin
  if exists (select from pgtle.created c where c.name = create_extension.name) then
    if if_not_exists then
      raise notice 'extension "%" already exists, skipping', create_extension.name;
      return;
    end if;
    raise exception using errcode = '42710', message = pg_catalog.format('extension "%s" already exists', create_extension.name);
  elsif scripts is null then
    raise exception using errcode = '22023', message = pg_catalog.format(
      'extension "%s" has no installation script for version "%s"', create_extension.name, wanted);
  end if;
  foreach needed in array coalesce(package.requires, '{}') loop
    if not exists (select from pg_catalog.pg_extension where extname = needed)
      and not exists (select from pgtle.created c where c.name = needed) then
      raise exception using errcode = '42704', message = pg_catalog.format('required extension "%s" is not installed', needed);
    end if;
  end loop;
  insert into pgtle.created (name, version, schema) values (create_extension.name, wanted, target);
  perform pgtle._run(create_extension.name, target, scripts);
end
$$;

create function pgtle.update_extension(name text, version text default null) returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  created constant pgtle.created := (select c from pgtle.created c where c.name = update_extension.name);
  wanted constant text := coalesce(
    update_extension.version, (select e.default_version from pgtle.extension e where e.name = update_extension.name));
  scripts constant text[] := pgtle._chain(update_extension.name, created.version, wanted);
begin
  if created.version = wanted then
    return;
  elsif scripts is null then
    raise exception using errcode = '22023', message = pg_catalog.format(
      'extension "%s" has no update path from version "%s" to version "%s"', update_extension.name, created.version, wanted);
  end if;
  perform pgtle._run(update_extension.name, created.schema, scripts);
  update pgtle.created c set version = wanted where c.name = update_extension.name;
end
$$;

-- Drops a package's objects, newest first. Objects that were dropped before are skipped.
create function pgtle.drop_extension(name text, is_cascade boolean default false) returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  object record;
begin
  for object in
    select i.type, i.identity, o.class, o.id
    from pgtle.created c,
      pg_catalog.jsonb_array_elements(c.objects) with ordinality item (value, position),
      lateral (select (item.value ->> 0)::bigint::oid as class, (item.value ->> 1)::bigint::oid as id) o,
      lateral pg_catalog.pg_identify_object(o.class, o.id, 0) i
    where c.name = drop_extension.name
    order by item.position desc
  loop
    if (pg_catalog.pg_identify_object(object.class, object.id, 0)).identity is not null then
      execute pg_catalog.format('drop %s if exists %s %s', object.type, object.identity,
        case when is_cascade or object.type in ('table', 'type', 'schema', 'view', 'trigger') then 'cascade' end);
    end if;
  end loop;
  delete from pgtle.created c where c.name = drop_extension.name;
end
$$;

-- Whether a package with this name was installed or created.
create function pgtle.has_extension(name text) returns boolean
language sql stable
as $$
  select exists (select from pgtle.extension e where e.name operator(pg_catalog.=) has_extension.name)
    or exists (select from pgtle.created c where c.name operator(pg_catalog.=) has_extension.name)
$$;

-- The project owns everything in this schema, and only members of pgtle_admin can change packages.
do $$
declare
  owned record;
begin
  for owned in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'pgtle'::regnamespace and exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('alter function %s owner to postgres; revoke all on function %1$s from public, anon, authenticated, service_role;
      grant execute on function %1$s to pgtle_admin', owned.name);
  end loop;
end
$$;
alter table pgtle.extension owner to postgres;
alter table pgtle.script owner to postgres;
alter table pgtle.created owner to postgres;
revoke all on pgtle.extension, pgtle.script, pgtle.created from public, anon, authenticated, service_role;
grant usage on schema pgtle to public;
grant select, insert, update, delete on pgtle.extension, pgtle.script, pgtle.created to pgtle_admin;
grant select on pgtle.extension to public;
grant execute on function pgtle.available_extensions() to public;
