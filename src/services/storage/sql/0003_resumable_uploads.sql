-- Resumable uploads whose bytes are stored in an S3 bucket. With these rows, any server process can continue an upload.
-- Only the service's role can read them. With the file backend, the state of an upload is a file next to its bytes.

create table _plinth.resumable_uploads (
  -- The upload's ID, which is also the version of the object that the upload becomes.
  id uuid primary key,
  bucket_id text not null,
  key text not null,
  -- The total size. Null until the client sends the size.
  size_bytes bigint,
  -- The names and values of `Upload-Metadata` as JSON text, because jsonb can't contain NUL characters.
  metadata text not null,
  -- The creator's role and subject. Only the creator can use the upload.
  began_by text not null,
  upsert boolean not null,
  -- The number of bytes in the bucket. A writer that expects another number has lost its lock and is rejected.
  received_bytes bigint not null default 0,
  -- The ID of the multipart upload in S3. Null until the first part is stored.
  s3_upload_id text,
  -- The number of the next part. Every attempt to store a part uses a new number, so a writer that has lost its lock
  -- can't replace another writer's part.
  next_part integer not null default 1,
  created_at timestamptz not null,
  touched_at timestamptz not null,
  -- When the object was committed. The row is kept for clients that didn't receive the last response.
  finished_at timestamptz,
  -- When the upload was given up. The row is kept until its bytes have been removed from the bucket.
  removed_at timestamptz,
  check (finished_at is null or removed_at is null)
);
create index resumable_uploads_touched_at on _plinth.resumable_uploads (touched_at);

-- The stored bytes of unfinished uploads.
create table _plinth.resumable_parts (
  upload_id uuid not null references _plinth.resumable_uploads on delete cascade,
  id uuid not null,
  -- The offset of the first byte in the upload.
  position bigint not null,
  size_bytes bigint not null,
  -- The number of the part in the multipart upload. Null for bytes that are stored as a separate object because they
  -- are too small for a part.
  number integer,
  -- The ETag that S3 returned for the part.
  etag text,
  -- The MD5 in hexadecimal.
  md5 text not null,
  primary key (upload_id, id)
);

revoke all on _plinth.resumable_uploads, _plinth.resumable_parts from public;
select _plinth.attempt('grant select, insert, update, delete on _plinth.resumable_uploads to supabase_storage_admin');
select _plinth.attempt('grant select, insert, update, delete on _plinth.resumable_parts to supabase_storage_admin');

set local role supabase_storage_admin;

-- Marks an upload as finished in the transaction that writes the object's row. Returns false if the upload was finished
-- or removed by another process.
create function storage.plinth_finish_upload(upload uuid) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with finished as (
    update _plinth.resumable_uploads u set finished_at = now()
    where u.id = upload and u.finished_at is null and u.removed_at is null
    returning u.id
  )
  select exists (select from finished);
$$;
revoke all on function storage.plinth_finish_upload(uuid) from public, anon, authenticated, postgres;
grant execute on function storage.plinth_finish_upload(uuid) to service_role;

reset role;
