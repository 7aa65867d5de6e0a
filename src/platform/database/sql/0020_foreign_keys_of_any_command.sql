-- Commands that alter a table aren't the only ones that change a column's type. For example, ALTER TYPE … CASCADE
-- changes typed tables. The guard therefore checks the foreign keys after every command.
do $$
begin
  if exists (select from pg_catalog.pg_event_trigger where evtname = 'plinth_guard_foreign_keys') then
    perform _plinth.attempt('drop event trigger plinth_guard_foreign_keys');
    perform _plinth.attempt(
      'create event trigger plinth_guard_foreign_keys on ddl_command_end execute function _plinth.guard_foreign_keys()');
    perform _plinth.attempt('alter event trigger plinth_guard_foreign_keys enable always');
  end if;
end
$$;
