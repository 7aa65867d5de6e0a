-- Plinth's own schema. The runner creates the schema and the ledger. This file adds the helper for accounts without
-- superuser privileges, and the guards that protect Plinth's tables from the project.

-- The statements that failed because the account has no superuser privileges. `doctor` prints them, and an
-- administrator must run them once.
create table _plinth.refused (
  statement text primary key,
  reason text not null,
  refused_at timestamptz not null default now()
);

-- Runs a statement if the server's version is at least `since` (server_version_num). If an account that isn't a
-- superuser gets a permission error, the error is recorded and the startup continues.
create function _plinth.attempt(statement text, since int default 0) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('server_version_num')::int < since then
    return;
  end if;
  execute statement;
exception
  when insufficient_privilege or undefined_object or feature_not_supported then
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      raise;
    end if;
    insert into _plinth.refused (statement, reason) values ($1, sqlerrm)
      on conflict on constraint refused_pkey do update set reason = excluded.reason, refused_at = now();
end
$$;

-- Returns whether Plinth initialized this cluster, which means that the cluster's first role belongs to Plinth. On
-- other clusters, existing roles, the database's owner and existing settings aren't changed.
create function _plinth.is_own_cluster() returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$ select rolname = 'supabase_admin' from pg_catalog.pg_roles where oid = 10 $$;

-- Plinth's tables and their columns, which must not be changed. attnum 0 represents the table itself.
create table _plinth.guarded (
  relid oid not null,
  attnum int2 not null,
  name name not null,
  schema name not null,
  owner oid not null,
  primary key (relid, attnum)
);

-- The runner calls this function at the end of each file. Everything that the transaction created or changed in
-- Plinth's schemas belongs to Plinth. A row's xmin in pg_class and pg_attribute identifies the transaction that wrote
-- it.
create function _plinth.guard_new_objects() returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  delete from _plinth.guarded g
  where not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = g.relid and (g.attnum = 0 or (a.attnum = g.attnum and not a.attisdropped))
  );
  insert into _plinth.guarded as g (relid, attnum, name, schema, owner)
  select c.oid, coalesce(a.attnum, 0), coalesce(a.attname, c.relname), n.nspname, c.relowner
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select null::int2, null::name where age(c.xmin) <= age(pg_current_xact_id()::xid)
    union all
    select a.attnum, a.attname from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and age(a.xmin) <= age(pg_current_xact_id()::xid)
  ) a (attnum, attname)
  where n.nspname in ('auth', 'storage', 'realtime', '_realtime', 'supabase_functions', '_plinth')
    and c.relkind in ('r', 'p')
    and not c.relispartition
  on conflict (relid, attnum) do update
    set name = excluded.name, schema = excluded.schema, owner = excluded.owner;
$$;

-- The event triggers that protect Plinth's tables. `postgres` is a member of the owner roles, so that policies and
-- triggers on Plinth's tables work as on the hosted service. Changes that the hosted service would reject, or that
-- would break Plinth, are rejected. These functions run as a superuser for any role. With an empty search path,
-- temporary types and relations would be found before PostgreSQL's own. With this path, they are found last.
create function _plinth.guard_dropped() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  victim record;
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = session_user) then
    return;
  end if;
  select g.schema, t.name as table_name, g.name, g.attnum into victim
  from pg_catalog.pg_event_trigger_dropped_objects() d
  join _plinth.guarded g on g.relid = d.objid and g.attnum = d.objsubid
  join _plinth.guarded t on t.relid = g.relid and t.attnum = 0
  where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
  limit 1;
  if found then
    raise exception using
      errcode = '42501',
      message = pg_catalog.format('must be owner of table %s', victim.table_name),
      detail = pg_catalog.format('%I.%I belongs to the service; %s cannot be dropped.', victim.schema, victim.table_name,
        case when victim.attnum = 0 then 'it' else pg_catalog.format('its column %I', victim.name) end);
  end if;
end
$$;

create function _plinth.guard_altered() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  victim record;
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = session_user) then
    return;
  end if;
  select t.name as table_name into victim
  from _plinth.guarded g
  join _plinth.guarded t on t.relid = g.relid and t.attnum = 0
  join pg_catalog.pg_class c on c.oid = g.relid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_attribute a on a.attrelid = g.relid and a.attnum = g.attnum
  where g.relid in (
      select objid from pg_catalog.pg_event_trigger_ddl_commands() where classid = 'pg_catalog.pg_class'::pg_catalog.regclass
    )
    and case
      when g.attnum = 0 then (c.relname, n.nspname, c.relowner) is distinct from (g.name, g.schema, g.owner)
      else a.attname is distinct from g.name
    end
  limit 1;
  if found then
    raise exception using
      errcode = '42501',
      message = pg_catalog.format('must be owner of table %s', victim.table_name),
      detail = 'A table of the service keeps its name, its schema, its owner and the names of its columns.';
  end if;
end
$$;

-- PostgreSQL checks a foreign key with the privileges of the referenced table's owner and casts the value during the
-- check. If that owner is a superuser, a cast of a project's own type would run as superuser, so such keys require a
-- built-in type. The function skips the most frequent commands that can neither create a foreign key nor change a
-- column's type, because it would otherwise take most of the time of a large project's migrations. For the others, it
-- selects the few foreign keys that refer to a superuser's table before it reads their columns.
create function _plinth.guard_foreign_keys() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  victim record;
begin
  if tg_tag in (
    'COMMENT', 'GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES', 'CREATE FUNCTION', 'ALTER FUNCTION', 'DROP FUNCTION',
    'CREATE INDEX', 'DROP INDEX', 'CREATE POLICY', 'ALTER POLICY', 'DROP POLICY', 'CREATE TRIGGER', 'DROP TRIGGER',
    'CREATE VIEW', 'DROP VIEW'
  ) then
    return;
  end if;
  with keys as materialized (
    select conrelid, confrelid, conkey, confkey from pg_constraint
    where contype = 'f' and confrelid = any (array(
      select oid from pg_class
      where relkind in ('r', 'p') and relowner = any (array(select oid from pg_roles where rolsuper))
    ))
  )
  select target.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type_name into victim
  from keys k
  join pg_class target on target.oid = k.confrelid
  join pg_class source on source.oid = k.conrelid and source.relowner <> target.relowner
  cross join lateral unnest(k.conkey, k.confkey) as pair (own, referenced)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
  join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.referenced
  join pg_type t on t.oid = a.atttypid
  where a.atttypid <> b.atttypid and t.typnamespace <> 'pg_catalog'::regnamespace
  limit 1;
  if found then
    raise exception using
      errcode = '42501',
      message = format('permission denied for table %s', victim.table_name),
      detail = format('A foreign key to this table needs a column of a built-in type; %I has the type %s of the project.',
        victim.column_name, victim.type_name);
  end if;
end
$$;

select _plinth.attempt($$
  create event trigger plinth_guard_dropped on sql_drop execute function _plinth.guard_dropped()
$$);
select _plinth.attempt($$
  create event trigger plinth_guard_altered on ddl_command_end
    when tag in ('ALTER TABLE', 'ALTER INDEX', 'ALTER VIEW', 'ALTER SEQUENCE', 'ALTER MATERIALIZED VIEW',
      'ALTER FOREIGN TABLE')
    execute function _plinth.guard_altered()
$$);
-- This trigger has no tags, because commands that alter a table aren't the only ones that change a column's type. For
-- example, ALTER TYPE … CASCADE changes typed tables.
select _plinth.attempt($$
  create event trigger plinth_guard_foreign_keys on ddl_command_end execute function _plinth.guard_foreign_keys()
$$);

-- `postgres` can set session_replication_role, which disables all ordinary triggers. The guards still fire.
do $$
declare
  guard text;
begin
  for guard in select evtname from pg_catalog.pg_event_trigger where evtname like 'plinth\_guard\_%' loop
    perform _plinth.attempt(pg_catalog.format('alter event trigger %I enable always', guard));
  end loop;
end
$$;
