-- The service's own tables outside of schema storage: read beside upstream's, whose columns a project may alter, and
-- therefore by the service's role and never by a superuser. The same for functions that see rows of storage.objects.
select _plinth.attempt('grant usage on schema _plinth to supabase_storage_admin');
select _plinth.attempt('grant select, insert, delete on _plinth.storage_checksums to supabase_storage_admin');
select _plinth.attempt('grant insert on _plinth.storage_events to supabase_storage_admin');
alter function _plinth.note_storage_event() owner to supabase_storage_admin;
alter function storage.plinth_keep_checksum(uuid, text, text, text) owner to supabase_storage_admin;
alter function _plinth.note_storage_event() set search_path = pg_catalog, pg_temp;
alter function storage.plinth_keep_checksum(uuid, text, text, text) set search_path = pg_catalog, pg_temp;
revoke all on function storage.plinth_keep_checksum(uuid, text, text, text) from public, anon, authenticated, postgres;
