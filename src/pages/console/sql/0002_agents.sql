-- The AI agents that operators have connected with OAuth. A grant never has more permissions than its operator's current
-- role, and it is deleted with the operator. Codes and tokens are stored as hashes. The registration of a client isn't
-- stored, because its ID contains its metadata (mcp/oauth/clients.ts).
create table _plinth.agent_grants (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references _plinth.operators on delete cascade,
  client_name text not null check (client_name <> ''),
  client_hash bytea not null,
  -- The host or the scheme of the redirect URI, which the operator saw when approving the client.
  destination text not null,
  role text not null check (role in ('owner', 'developer', 'read-only')),
  is_read_only boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  -- The authorization code, which can be exchanged for tokens once (RFC 6749, section 4.1.2).
  code_hash bytea not null unique,
  code_challenge text not null,
  redirect_uri text not null,
  code_expires_at timestamptz not null,
  code_used_at timestamptz
);
create index agent_grants_operator on _plinth.agent_grants (operator_id);

create table _plinth.agent_tokens (
  token_hash bytea primary key,
  grant_id uuid not null references _plinth.agent_grants on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  expires_at timestamptz not null,
  -- When the refresh token was exchanged for new tokens. It is kept to detect its reuse.
  replaced_at timestamptz
);
create index agent_tokens_grant on _plinth.agent_tokens (grant_id);
