-- The Console's operators with their sign-in links, sessions and actions. Only Plinth can read these tables. Links and
-- cookies are stored as hashes.
create table _plinth.operators (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> ''),
  role text not null check (role in ('owner', 'developer', 'read-only')),
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);

create table _plinth.operator_links (
  token_hash bytea primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table _plinth.operator_sessions (
  cookie_hash bytea primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  csrf_token text not null,
  user_agent text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table _plinth.operator_audit (
  id bigint generated always as identity primary key,
  operator_id uuid,
  operator_name text not null,
  action text not null,
  detail jsonb not null default '{}',
  request_id text,
  at timestamptz not null default now()
);

create index operator_audit_at on _plinth.operator_audit (at desc);
