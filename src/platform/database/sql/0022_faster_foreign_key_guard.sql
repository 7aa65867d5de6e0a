-- The guard runs after every command and took most of the time of a large project's migrations. It now skips the most
-- frequent commands that can neither create a foreign key nor change a column's type. For the others, it selects the few
-- foreign keys that refer to a superuser's table before it reads their columns.
create or replace function _plinth.guard_foreign_keys() returns event_trigger
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
