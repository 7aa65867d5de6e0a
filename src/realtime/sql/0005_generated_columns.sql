-- Stored generated columns are part of a record. PostgreSQL 18 publishes them where the publication says so; older
-- servers never do, and records lack them there, as they lack virtual ones everywhere. Under REPLICA IDENTITY FULL 18
-- even refuses updates of a published table of which a generated column is not published.
do $$
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    perform _plinth.attempt(
      'alter publication supabase_realtime set (publish_generated_columns = stored)', 180000
    );
  end if;
end
$$;

-- Projects' migrations drop the publication and make it anew. Runs with the rights of whoever does that.
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
