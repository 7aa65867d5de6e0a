-- A role with REPLICATION can choose the library that decodes a slot, from any path. If a user could store a library on
-- this machine, for example as an uploaded object, the server would run it. For this reason, only
-- supabase_replication_admin has REPLICATION, and a project can't switch to that role.
do $$
begin
  if _plinth.is_own_cluster() then
    alter role postgres noreplication;
  end if;
end
$$;
select _plinth.attempt('alter role supabase_realtime_admin noreplication');
-- This setting prevents a project's login trigger from running as that role.
select _plinth.attempt('alter role supabase_replication_admin set event_triggers = off', 170000);
select _plinth.attempt('alter role supabase_replication_admin set search_path = pg_catalog, pg_temp');
