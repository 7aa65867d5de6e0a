-- Tables of the storage schema: buckets, objects and related tables, and Plinth's tables for checksums and events. The
-- tables of the schema have the columns, constraint names and indexes that clients of the hosted service rely on
-- (supabase/storage 1.11.2, its migrations 0 to 63).

set local role supabase_storage_admin;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

-- The migrations of supabase/storage 1.11.2 (number, name, sha1) that are equivalent to this schema, so upstream's
-- server, or a tool that reads this table, finds no migrations left to apply.
create table storage.migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);
insert into storage.migrations (id, name, hash) values
  (0, 'create-migrations-table', 'e18db593bcde2aca2a408c4d1100f6abba2195df'),
  (1, 'initialmigration', '6ab16121fbaa08bbd11b712d05f358f9b555d777'),
  (2, 'storage-schema', 'f6a1fa2c93cbcd16d4e487b362e45fca157a8dbd'),
  (3, 'pathtoken-column', '2cb1b0004b817b29d5b0a971af16bafeede4b70d'),
  (4, 'add-migrations-rls', '427c5b63fe1c5937495d9c635c263ee7a5905058'),
  (5, 'add-size-functions', '79e081a1455b63666c1294a440f8ad4b1e6a7f84'),
  (6, 'change-column-name-in-get-size', 'ded78e2f1b5d7e616117897e6443a925965b30d2'),
  (7, 'add-rls-to-buckets', 'e7e7f86adbc51049f341dfe8d30256c1abca17aa'),
  (8, 'add-public-to-buckets', 'fd670db39ed65f9d08b01db09d6202503ca2bab3'),
  (9, 'fix-search-function', 'af597a1b590c70519b464a4ab3be54490712796b'),
  (10, 'search-files-search-function', 'b595f05e92f7e91211af1bbfe9c6a13bb3391e16'),
  (11, 'add-trigger-to-auto-update-updated_at-column', '7425bdb14366d1739fa8a18c83100636d74dcaa2'),
  (12, 'add-automatic-avif-detection-flag', '8e92e1266eb29518b6a4c5313ab8f29dd0d08df9'),
  (13, 'add-bucket-custom-limits', 'cce962054138135cd9a8c4bcd531598684b25e7d'),
  (14, 'use-bytes-for-max-size', '941c41b346f9802b411f06f30e972ad4744dad27'),
  (15, 'add-can-insert-object-function', '934146bc38ead475f4ef4b555c524ee5d66799e5'),
  (16, 'add-version', '76debf38d3fd07dcfc747ca49096457d95b1221b'),
  (17, 'drop-owner-foreign-key', 'f1cbb288f1b7a4c1eb8c38504b80ae2a0153d101'),
  (18, 'add_owner_id_column_deprecate_owner', 'e7a511b379110b08e2f214be852c35414749fe66'),
  (19, 'alter-default-value-objects-id', '02e5e22a78626187e00d173dc45f58fa66a4f043'),
  (20, 'list-objects-with-delimiter', 'cd694ae708e51ba82bf012bba00caf4f3b6393b7'),
  (21, 's3-multipart-uploads', '8c804d4a566c40cd1e4cc5b3725a664a9303657f'),
  (22, 's3-multipart-uploads-big-ints', '9737dc258d2397953c9953d9b86920b8be0cdb73'),
  (23, 'optimize-search-function', '9d7e604cddc4b56a5422dc68c9313f4a1b6f132c'),
  (24, 'operation-function', '8312e37c2bf9e76bbe841aa5fda889206d2bf8aa'),
  (25, 'custom-metadata', 'd974c6057c3db1c1f847afa0e291e6165693b990'),
  (26, 'objects-prefixes', '215cabcb7f78121892a5a2037a09fedf9a1ae322'),
  (27, 'search-v2', '859ba38092ac96eb3964d83bf53ccc0b141663a6'),
  (28, 'object-bucket-name-sorting', 'c73a2b5b5d4041e39705814fd3a1b95502d38ce4'),
  (29, 'create-prefixes', 'ad2c1207f76703d11a9f9007f821620017a66c21'),
  (30, 'update-object-levels', '2be814ff05c8252fdfdc7cfb4b7f5c7e17f0bed6'),
  (31, 'objects-level-index', 'b40367c14c3440ec75f19bbce2d71e914ddd3da0'),
  (32, 'backward-compatible-index-on-objects', 'e0c37182b0f7aee3efd823298fb3c76f1042c0f7'),
  (33, 'backward-compatible-index-on-prefixes', 'b480e99ed951e0900f033ec4eb34b5bdcb4e3d49'),
  (34, 'optimize-search-function-v1', 'ca80a3dc7bfef894df17108785ce29a7fc8ee456'),
  (35, 'add-insert-trigger-prefixes', '458fe0ffd07ec53f5e3ce9df51bfdf4861929ccc'),
  (36, 'optimise-existing-functions', '6ae5fca6af5c55abe95369cd4f93985d1814ca8f'),
  (37, 'add-bucket-name-length-trigger', '3944135b4e3e8b22d6d4cbb568fe3b0b51df15c1'),
  (38, 'iceberg-catalog-flag-on-buckets', '02716b81ceec9705aed84aa1501657095b32e5c5'),
  (39, 'add-search-v2-sort-support', '6706c5f2928846abee18461279799ad12b279b78'),
  (40, 'fix-prefix-race-conditions-optimized', '7ad69982ae2d372b21f48fc4829ae9752c518f6b'),
  (41, 'add-object-level-update-trigger', '07fcf1a22165849b7a029deed059ffcde08d1ae0'),
  (42, 'rollback-prefix-triggers', '771479077764adc09e2ea2043eb627503c034cd4'),
  (43, 'fix-object-level', '84b35d6caca9d937478ad8a797491f38b8c2979f'),
  (44, 'vector-bucket-type', '99c20c0ffd52bb1ff1f32fb992f3b351e3ef8fb3'),
  (45, 'vector-buckets', '049e27196d77a7cb76497a85afae669d8b230953'),
  (46, 'buckets-objects-grants', 'fedeb96d60fefd8e02ab3ded9fbde05632f84aed'),
  (47, 'iceberg-table-metadata', '649df56855c24d8b36dd4cc1aeb8251aa9ad42c2'),
  (48, 'iceberg-catalog-ids', 'e0e8b460c609b9999ccd0df9ad14294613eed939'),
  (49, 'buckets-objects-grants-postgres', '072b1195d0d5a2f888af6b2302a1938dd94b8b3d'),
  (50, 'search-v2-optimised', '6323ac4f850aa14e7387eb32102869578b5bd478'),
  (51, 'index-backward-compatible-search', '2ee395d433f76e38bcd3856debaf6e0e5b674011'),
  (52, 'drop-not-used-indexes-and-functions', '5cc44c8696749ac11dd0dc37f2a3802075f3a171'),
  (53, 'drop-index-lower-name', 'd0cb18777d9e2a98ebe0bc5cc7a42e57ebe41854'),
  (54, 'drop-index-object-level', '6289e048b1472da17c31a7eba1ded625a6457e67'),
  (55, 'prevent-direct-deletes', '262a4798d5e0f2e7c8970232e03ce8be695d5819'),
  (56, 'fix-optimized-search-function', 'b823ed1e418101032fa01374edc9a436e54e3ed4'),
  (57, 's3-multipart-uploads-metadata', 'f127886e00d1b374fadbc7c6b31e09336aad5287'),
  (58, 'operation-ergonomics', '00ca5d483b3fe0d522133d9002ccc5df98365120'),
  (59, 'drop-unused-functions', '38456f13e39691c2bbb4b5151d0d1cdbabd4a8c4'),
  (60, 'optimize-existing-functions-again', 'db35e1c91a9201e59f4fef8d972c2f277d68b157'),
  (61, 'mark-filename-immutable', 'fe0096517ae9d60aaec1d110172ba9036dc66bb7'),
  (62, 'object-versioning-core', '0b855f00ff3be0bfca91efee02a9858912491a9a'),
  (63, 'fix-search-name-relative-to-prefix', 'c7485e417624f795ce8bb2da21927f48e088904d');

create table storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED',
  constraint buckets_versioning_status_check check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  constraint buckets_versioning_standard_only_check check (type = 'STANDARD' or versioning_status = 'DISABLED'),
  -- Versioning can't be enabled, because upstream has columns for it but doesn't implement it yet.
  constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);
create unique index bname on storage.buckets (name);
comment on column storage.buckets.owner is 'Deprecated: owner_id holds the owner, whatever its form';

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false,
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);
create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");
comment on column storage.objects.owner is 'Deprecated: owner_id holds the owner, whatever its form';

create table storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

create table storage.buckets_analytics (
  name text not null,
  type storage.buckettype not null default 'ANALYTICS',
  format text not null default 'ICEBERG',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid primary key default gen_random_uuid(),
  deleted_at timestamptz
);
create unique index buckets_analytics_unique_name_idx on storage.buckets_analytics (name) where deleted_at is null;

create table storage.iceberg_namespaces (
  id uuid primary key default gen_random_uuid(),
  bucket_name text not null,
  name text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  metadata jsonb not null default '{}',
  catalog_id uuid not null references storage.buckets_analytics (id) on delete cascade
);
create unique index idx_iceberg_namespaces_bucket_id on storage.iceberg_namespaces (catalog_id, name);

create table storage.iceberg_tables (
  id uuid primary key default gen_random_uuid(),
  namespace_id uuid not null references storage.iceberg_namespaces (id) on delete cascade,
  bucket_name text not null,
  name text collate "C" not null,
  location text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  remote_table_id text,
  shard_key text,
  shard_id text,
  catalog_id uuid not null references storage.buckets_analytics (id) on delete cascade
);
create unique index idx_iceberg_tables_namespace_id on storage.iceberg_tables (catalog_id, namespace_id, name);
create unique index idx_iceberg_tables_location on storage.iceberg_tables (location);

create table storage.buckets_vectors (
  id text primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table storage.vector_indexes (
  id text primary key default gen_random_uuid(),
  name text collate "C" not null,
  bucket_id text not null references storage.buckets_vectors (id),
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);

alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
alter table storage.buckets_analytics enable row level security;
alter table storage.iceberg_namespaces enable row level security;
alter table storage.iceberg_tables enable row level security;
alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;

grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to postgres, supabase_storage_admin with grant option;
grant all on storage.buckets_analytics to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts,
  storage.iceberg_namespaces, storage.iceberg_tables to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts,
  storage.iceberg_namespaces, storage.iceberg_tables to anon, authenticated;
grant select on storage.buckets_vectors, storage.vector_indexes to anon, authenticated, service_role;

reset role;

-- The service uses Plinth's tables in statements that also read upstream's tables, whose columns a project can alter.
-- Therefore, these statements run as the service's role instead of a superuser.
select _plinth.attempt('grant usage on schema _plinth to supabase_storage_admin');

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
select _plinth.attempt('grant select, insert, delete on _plinth.storage_checksums to supabase_storage_admin');

-- Object events for a webhook. An event is recorded in the transaction that causes it and removed after delivery.
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
select _plinth.attempt('grant insert on _plinth.storage_events to supabase_storage_admin');
