-- One-time recovery codes, which replace a lost second factor. Upstream has no such codes, so this table isn't in the
-- auth schema. Each row is a user's set of codes. A code's hash is removed when the code is used.
create table _plinth.recovery_codes (
  -- The column has no foreign key, because another service may own auth.users. The service deletes the row when the
  -- user is deleted.
  user_id uuid primary key,
  hashes text[] not null,
  total int not null,
  created_at timestamptz not null
);
comment on table _plinth.recovery_codes is 'Hashes of the recovery codes that each user has left.';

-- auth's role can change this table, because a code is used up in the transaction that raises the session's level.
grant usage on schema _plinth to supabase_auth_admin;
grant select, insert, update, delete on _plinth.recovery_codes to supabase_auth_admin;
