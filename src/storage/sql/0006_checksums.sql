-- Checksums that clients of the S3 protocol sent or asked for. Beside the tables of upstream, which have no place for them;
-- without a foreign key, so that nothing more has to be done to delete an object: what is left over is swept.

create table _plinth.storage_checksums (
  -- The version of an object, or a part of an upload under way. Both are the server's own UUIDs and never used twice.
  id uuid primary key,
  algorithm text not null,
  type text not null,
  -- Base64, of a composite one with `-` and the number of parts.
  value text not null,
  made_at timestamptz not null default now()
);
revoke all on _plinth.storage_checksums from public;

-- In the transaction that writes the row, whose role reaches no table of ours.
create function storage.plinth_keep_checksum(id uuid, algorithm text, type text, value text) returns void
language sql security definer set search_path = '' as $$
  insert into _plinth.storage_checksums (id, algorithm, type, value) values ($1, $2, $3, $4);
$$;
revoke all on function storage.plinth_keep_checksum(uuid, text, text, text) from public, anon, authenticated, postgres;
grant execute on function storage.plinth_keep_checksum(uuid, text, text, text) to service_role;
