-- Object events for a webhook. An event is recorded in the transaction that causes it and removed after delivery.
-- Changes are recorded only if the storage service makes them and a webhook is configured, which the storage.events
-- setting indicates.

create schema if not exists _plinth;

create table _plinth.storage_events (
  id bigint generated always as identity primary key,
  type text not null,
  payload jsonb not null,
  happened_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- When the next attempt is due. While a process delivers the event, this is the end of the process's lease. After
  -- this time, another process can deliver the event.
  next_attempt_at timestamptz not null default now()
);
create index storage_events_next_attempt_at on _plinth.storage_events (next_attempt_at);
revoke all on _plinth.storage_events from public;

create function _plinth.note_storage_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  running constant text := coalesce(current_setting('storage.operation', true), '');
  upload_type constant text := case
    when running like 'storage.tus.%' then 'resumable'
    when running like 'storage.s3.%' then 's3'
    else 'standard'
  end;
  gone jsonb;
  made jsonb;
begin
  if tg_op <> 'INSERT' then
    gone := jsonb_build_object(
      'bucketId', old.bucket_id, 'name', old.name, 'version', old.version, 'metadata', old.metadata);
  end if;
  if tg_op = 'DELETE' then
    insert into _plinth.storage_events (type, payload) values ('ObjectRemoved:Delete', gone);
    return null;
  end if;
  made := jsonb_build_object(
    'bucketId', new.bucket_id, 'name', new.name, 'version', new.version, 'metadata', new.metadata,
    'uploadType', upload_type);
  if tg_op = 'UPDATE' and new.version is not distinct from old.version then
    insert into _plinth.storage_events (type, payload)
    values ('ObjectRemoved:Move', gone), ('ObjectCreated:Move', made || jsonb_build_object('oldObject', gone));
  else
    insert into _plinth.storage_events (type, payload)
    values (
      case
        when running like '%.copy' then 'ObjectCreated:Copy'
        when tg_op = 'UPDATE' then 'ObjectCreated:Put'
        else 'ObjectCreated:Post'
      end,
      made);
  end if;
  return null;
end;
$$;
revoke all on function _plinth.note_storage_event() from public;

create trigger plinth_note_insert after insert on storage.objects
  for each row when (current_setting('storage.events', true) = 'on')
  execute function _plinth.note_storage_event();
create trigger plinth_note_update after update on storage.objects
  for each row when (
    current_setting('storage.events', true) = 'on'
    and (old.version, old.bucket_id, old.name) is distinct from (new.version, new.bucket_id, new.name))
  execute function _plinth.note_storage_event();
create trigger plinth_note_delete after delete on storage.objects
  for each row when (current_setting('storage.events', true) = 'on')
  execute function _plinth.note_storage_event();
