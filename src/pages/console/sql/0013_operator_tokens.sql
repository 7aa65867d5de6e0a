-- Operators' access tokens for the Management API. Only their hashes are stored. A token never has more permissions
-- than its operator's current role, and it is deleted with the operator.
create table _plinth.operator_tokens (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references _plinth.operators on delete cascade,
  name text not null check (name <> ''),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  -- Null if the token doesn't expire.
  expires_at timestamptz,
  last_used_at timestamptz,
  unique (operator_id, name)
);
