-- An extension can add functions, tables and types to an exposed schema. Event triggers don't run inside the
-- extension's script, so the statement itself causes the notification.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql
as $$
begin
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
