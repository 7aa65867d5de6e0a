-- Statements read the service's tables outside of the storage schema together with upstream's tables, whose columns a
-- project can alter. Therefore, these statements run as the service's role instead of a superuser. The same applies to
-- functions that receive rows of storage.objects.
select _plinth.attempt('grant usage on schema _plinth to supabase_storage_admin');
select _plinth.attempt('grant select, insert, delete on _plinth.storage_checksums to supabase_storage_admin');
select _plinth.attempt('grant insert on _plinth.storage_events to supabase_storage_admin');
alter function _plinth.note_storage_event() owner to supabase_storage_admin;
alter function storage.plinth_keep_checksum(uuid, text, text, text) owner to supabase_storage_admin;
alter function _plinth.note_storage_event() set search_path = pg_catalog, pg_temp;
alter function storage.plinth_keep_checksum(uuid, text, text, text) set search_path = pg_catalog, pg_temp;
revoke all on function storage.plinth_keep_checksum(uuid, text, text, text) from public, anon, authenticated, postgres;
