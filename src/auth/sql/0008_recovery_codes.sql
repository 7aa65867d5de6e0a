-- One-time recovery codes: what stands in for a second factor that is lost. Upstream has none, so they are not in schema
-- auth. One row is a user's set; the hash of a code goes when it is used.
create table _plinth.recovery_codes (
  -- No foreign key: auth.users may belong to somebody else's database. The service says when a user is gone.
  user_id uuid primary key,
  hashes text[] not null,
  total int not null,
  created_at timestamptz not null
);
comment on table _plinth.recovery_codes is 'Hashes of the recovery codes that each user has left.';

-- A code is used in the transaction that raises the session.
grant usage on schema _plinth to supabase_auth_admin;
grant select, insert, update, delete on _plinth.recovery_codes to supabase_auth_admin;
