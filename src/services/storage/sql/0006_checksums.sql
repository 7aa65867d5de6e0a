-- Checksums that S3 clients sent or requested. They are stored in a separate table because upstream's tables have no
-- columns for them. The table has no foreign key, so deleting objects requires no extra work. A sweep removes leftover
-- rows.

create table _plinth.storage_checksums (
  -- The version of an object, or the ID of a part of an unfinished upload. The server generates both as UUIDs and never
  -- reuses them.
  id uuid primary key,
  algorithm text not null,
  type text not null,
  -- The checksum in base64. A composite checksum ends with `-` and the number of parts.
  value text not null,
  made_at timestamptz not null default now()
);
revoke all on _plinth.storage_checksums from public;

-- Stores a checksum in the transaction that writes the row. The function is a security definer, because the
-- transaction's role has no access to Plinth's tables.
create function storage.plinth_keep_checksum(id uuid, algorithm text, type text, value text) returns void
language sql security definer set search_path = '' as $$
  insert into _plinth.storage_checksums (id, algorithm, type, value) values ($1, $2, $3, $4);
$$;
revoke all on function storage.plinth_keep_checksum(uuid, text, text, text) from public, anon, authenticated, postgres;
grant execute on function storage.plinth_keep_checksum(uuid, text, text, text) to service_role;
