-- Functions for policies (path parts, the current operation), and the triggers on buckets and objects.

set local role supabase_storage_admin;

create function storage.foldername(name text) returns text[]
language sql immutable
return (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1];

create function storage.filename(name text) returns text
language sql immutable
return (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)];

-- Returns the file extension. As in upstream, returns the whole last segment if it contains no dot.
create function storage.extension(name text) returns text
language sql immutable
return reverse(split_part(reverse((string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]), '.', 1));

-- Returns the name of the operation that the HTTP route performs, such as storage.object.upload. Returns null outside a
-- request.
create function storage.operation() returns text
language sql stable
return current_setting('storage.operation', true);

create function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
return coalesce(
  regexp_replace(storage.operation(), '^storage\.', '') = any (
    select regexp_replace(expected, '^storage\.', '')
    from unnest(expected_operations) as expected
    where expected <> ''
  ),
  false
);

create function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
return storage.allow_any_operation(array[expected_operation]);

-- Part of upstream's API. Always raises an error: PT200 if the caller's policies would accept the row, otherwise the
-- error of the insert.
create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, can_insert_object.name, can_insert_object.owner, can_insert_object.metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end;
$$;

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
$$;

create function storage.update_updated_at_column() returns trigger
language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end;
$$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create function storage.enforce_bucket_name_length() returns trigger
language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end;
$$;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- Prevents users from deleting rows directly, because the bytes of the objects would remain. The server sets
-- storage.allow_delete_query for its own statements.
create function storage.protect_delete() returns trigger
language plpgsql as $$
begin
  if current_setting('storage.allow_delete_query', true) is distinct from 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end;
$$;
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
