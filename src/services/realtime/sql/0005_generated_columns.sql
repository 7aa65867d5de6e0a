-- Records include stored generated columns. PostgreSQL 18 publishes generated columns if the publication is configured
-- to do so. Records from older servers lack them, and virtual columns are never included. With REPLICA IDENTITY FULL,
-- PostgreSQL 18 rejects updates to a published table that has an unpublished generated column.
do $$
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    perform _plinth.attempt(
      'alter publication supabase_realtime set (publish_generated_columns = stored)', 180000
    );
  end if;
end
$$;

-- Runs again when projects drop and recreate the publication in migrations, with the privileges of the role that
-- recreates it.
create function _plinth.realtime_publish_generated() returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands()
    where object_type = 'publication' and object_identity = 'supabase_realtime'
  ) then
    alter publication supabase_realtime set (publish_generated_columns = stored);
  end if;
end
$$;

select _plinth.attempt($$
  create event trigger plinth_realtime_publication on ddl_command_end when tag in ('CREATE PUBLICATION')
  execute function _plinth.realtime_publish_generated()
$$, 180000);
