-- A role with REPLICATION names the library that decodes a slot, by any path: whoever can put a file on the machine, an uploaded
-- object for instance, then runs it as the server. So only supabase_replication_admin has it, which a project can't become.
do $$
begin
  if _plinth.is_own_cluster() then
    alter role postgres noreplication;
  end if;
end
$$;
select _plinth.attempt('alter role supabase_realtime_admin noreplication');
-- A login trigger of a project's would run as that role.
select _plinth.attempt('alter role supabase_replication_admin set event_triggers = off', 170000);
select _plinth.attempt('alter role supabase_replication_admin set search_path = pg_catalog, pg_temp');
