-- Citus changes a table that is stored on several servers, including this one, over connections to each of them, and
-- commits the changes in two phases. PostgreSQL doesn't prepare a transaction that has sent a notification. On these
-- connections, the triggers therefore send none. The session whose statement made the change sends one.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql
as $$
begin
  if pg_catalog.current_setting('application_name') like 'citus\_%gpid=%' then
    return;
  end if;
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands() as command
    where command.schema_name is distinct from 'pg_temp'
      and coalesce(command.schema_name, '') not in ('auth', 'storage', 'realtime', '_realtime')
      and command.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE TRIGGER',
        'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT',
        'CREATE EXTENSION', 'ALTER EXTENSION'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql
as $$
begin
  if pg_catalog.current_setting('application_name') like 'citus\_%gpid=%' then
    return;
  end if;
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    where not dropped.is_temporary
      and coalesce(dropped.schema_name, '') not in ('auth', 'storage', 'realtime', '_realtime')
      and dropped.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'trigger', 'type', 'rule'
      )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;
