-- `postgres` can set session_replication_role, which disables all ordinary triggers. The guards on Plinth's tables
-- still fire.
do $$
declare
  guard text;
begin
  for guard in
    select evtname from pg_catalog.pg_event_trigger where evtname in ('plinth_guard_dropped', 'plinth_guard_altered')
  loop
    perform _plinth.attempt(pg_catalog.format('alter event trigger %I enable always', guard));
  end loop;
end
$$;
