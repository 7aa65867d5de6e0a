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
grant usage on schema _plinth to service_role;
grant select, insert, delete on _plinth.storage_checksums to service_role;
