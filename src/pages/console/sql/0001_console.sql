-- The Console's operators with their sign-in links, sessions, second factors and tokens, the audit log, the SQL page
-- and policies that are turned off. Only Plinth can change these tables. Links, cookies and tokens are stored as
-- hashes.
create table _plinth.operators (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> ''),
  role text not null check (role in ('owner', 'developer', 'read-only')),
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  -- The secret is encrypted with a key outside the database, so a role that can read every table can't generate codes.
  totp_secret bytea,
  totp_confirmed_at timestamptz,
  -- The time step of the last used code. Each code is accepted only once (RFC 6238, section 5.2).
  totp_last_step bigint not null default 0,
  constraint operators_totp_is_whole check (totp_secret is not null or totp_confirmed_at is null)
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
  expires_at timestamptz not null,
  -- Identifies the session in the list that operators see.
  id uuid not null default gen_random_uuid() unique,
  ip text,
  -- When the second factor was verified. Null until then.
  factor_at timestamptz,
  -- The challenge that a passkey must sign. It can be used only once and for a single purpose.
  challenge text,
  challenge_for text check (challenge_for in ('create', 'get')),
  challenge_at timestamptz
);

create table _plinth.operator_recovery_codes (
  operator_id uuid not null references _plinth.operators on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (operator_id, code_hash)
);

-- Operators' passkeys. A passkey serves as the second factor instead of a code from the authenticator app.
create table _plinth.operator_passkeys (
  -- The credential's ID (WebAuthn level 3, section 4).
  id bytea primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  name text not null,
  -- The public key in COSE format.
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index operator_passkeys_operator on _plinth.operator_passkeys (operator_id);

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
  -- The role that the token is limited to. Null if the token has its operator's current role.
  role text check (role in ('owner', 'developer', 'read-only')),
  unique (operator_id, name)
);

-- Operators' actions in the Console and on the command line. Entries can only be added. A trigger rejects every change,
-- and the role that runs operators' own SQL (`postgres`) doesn't own the table and can only read it.
create table _plinth.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Null for the command line. The column has no foreign key, because entries are kept after their operator is deleted.
  operator_id uuid,
  operator_name text not null,
  action text not null check (action <> ''),
  target text not null,
  detail jsonb not null default '{}',
  request_id text
);
create index audit_log_operator on _plinth.audit_log (operator_name, id desc);
create index audit_log_action on _plinth.audit_log (action, id desc);

create function _plinth.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using
    errcode = '42501',
    message = 'the audit log is only ever added to';
end
$$;

create trigger audit_log_is_kept before update or delete or truncate on _plinth.audit_log
  for each statement execute function _plinth.refuse_change();
alter table _plinth.audit_log enable always trigger audit_log_is_kept;

-- The SQL page's history of each operator. `postgres` can read all tables, so `sealed` contains the text, encrypted
-- with the Console's key, and `text` is empty.
create table _plinth.sql_history (
  id bigint generated always as identity primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  text text not null,
  -- The persona in the format of the `as` parameter in URLs.
  persona text not null,
  -- The error. Null if the run succeeded.
  error text,
  duration_ms float8 not null,
  at timestamptz not null default now(),
  sealed bytea
);
create index sql_history_operator on _plinth.sql_history (operator_id, id desc);

-- Saved queries. A shared query is visible to all operators, and a private query only to its owner. The text of a
-- private query is encrypted in `sealed`, and `text` is then empty.
create table _plinth.saved_queries (
  id uuid primary key default gen_random_uuid(),
  name text not null check (name <> ''),
  text text not null,
  saved_by text not null,
  saved_at timestamptz not null default now(),
  owner_id uuid references _plinth.operators on delete set null,
  owner_name text not null,
  folder text not null default '',
  is_shared boolean not null default false,
  -- The parameter values and the charts.
  view jsonb not null default '{}',
  sealed bytea
);
create unique index saved_queries_owner_name on _plinth.saved_queries (owner_id, folder, name);

-- Private queries are deleted with their owner. Shared queries are kept.
create function _plinth.delete_private_queries() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from _plinth.saved_queries where owner_id = old.id and not is_shared;
  return old;
end
$$;

create trigger delete_private_queries before delete on _plinth.operators
  for each row execute function _plinth.delete_private_queries();

-- Policies that operators turned off. PostgreSQL can't disable a policy, so it's dropped, and its definition is kept
-- here until it's turned on again (policies/turned-off.ts). A policy belongs to its table instead of the table's name,
-- so that it follows a renamed table and isn't offered for a new table with the same name. In COPY, a regclass value is
-- a name, so an upgrade to another major version, which changes the numbers of tables, keeps the reference.
create table _plinth.policies_off (
  name text not null,
  policy jsonb not null,
  table_id regclass not null,
  primary key (table_id, name)
);
