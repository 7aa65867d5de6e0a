-- API keys that users create for their own account (decision 142).
create table _plinth.user_api_keys (
  id uuid primary key,
  -- The column has no foreign key, because another service may own auth.users. The service deletes the rows when the
  -- user is deleted.
  user_id uuid not null,
  name text not null,
  -- A SHA-256 hash of the key. A slower hash function isn't necessary, because keys are random.
  hash text not null unique,
  -- The first characters of the key, so that the user recognizes it.
  beginning text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz
);
comment on table _plinth.user_api_keys is 'API keys that users created for their own account, as hashes.';
create index user_api_keys_user_id_idx on _plinth.user_api_keys (user_id, created_at desc);

grant select, insert, update, delete on _plinth.user_api_keys to supabase_auth_admin;
