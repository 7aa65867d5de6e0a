-- Tables for second factors, sessions' authentication methods, passkeys, and the recovery from a lost factor.
set local role supabase_auth_admin;

create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.factor_status as enum ('unverified', 'verified');

create table auth.mfa_factors (
  id uuid not null,
  user_id uuid not null,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  phone text,
  last_challenged_at timestamptz,
  web_authn_credential jsonb,
  web_authn_aaguid uuid,
  last_webauthn_challenge_data jsonb,
  constraint mfa_factors_pkey primary key (id),
  constraint mfa_factors_last_challenged_at_key unique (last_challenged_at),
  constraint mfa_factors_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table auth.mfa_factors is 'Second factors of users.';
comment on column auth.mfa_factors.last_webauthn_challenge_data is 'The last WebAuthn challenge and its answer, for the project to look at.';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create index factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id)
  where trim(friendly_name) <> '';
create unique index unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);

create table auth.mfa_challenges (
  id uuid not null,
  factor_id uuid not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null,
  otp_code text,
  web_authn_session_data jsonb,
  constraint mfa_challenges_pkey primary key (id),
  constraint mfa_challenges_auth_factor_id_fkey foreign key (factor_id)
    references auth.mfa_factors (id) on delete cascade
);
comment on table auth.mfa_challenges is 'Questions put to second factors.';
create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

create table auth.mfa_amr_claims (
  session_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null,
  constraint amr_id_pk primary key (id),
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method),
  constraint mfa_amr_claims_session_id_fkey foreign key (session_id) references auth.sessions (id) on delete cascade
);
comment on table auth.mfa_amr_claims is 'How a session was signed in: the amr claim of its tokens.';

create table auth.webauthn_credentials (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  attestation_type text not null default '',
  aaguid uuid,
  sign_count bigint not null default 0,
  transports jsonb not null default '[]',
  backup_eligible boolean not null default false,
  backed_up boolean not null default false,
  friendly_name text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint webauthn_credentials_pkey primary key (id),
  constraint webauthn_credentials_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
create unique index webauthn_credentials_credential_id_key on auth.webauthn_credentials (credential_id);
create index webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);

create table auth.webauthn_challenges (
  id uuid not null default gen_random_uuid(),
  user_id uuid,
  challenge_type text not null
    constraint webauthn_challenges_challenge_type_check
    check (challenge_type in ('signup', 'registration', 'authentication')),
  session_data jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint webauthn_challenges_pkey primary key (id),
  constraint webauthn_challenges_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);
create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);

alter table auth.mfa_factors enable row level security;
alter table auth.mfa_challenges enable row level security;
alter table auth.mfa_amr_claims enable row level security;
grant select on auth.mfa_factors, auth.mfa_challenges, auth.mfa_amr_claims to postgres with grant option;

reset role;

-- For each authenticator app, the newest time step whose code was accepted. Each code works only once (RFC 6238 section
-- 5.2), across all processes and after a crash. The factor table has upstream's columns, which don't include this step.
create table _plinth.totp_steps (
  -- The column has no foreign key, because another service may own auth.mfa_factors. A row is deleted once no code for
  -- its step is valid.
  factor_id uuid primary key,
  step bigint not null
);
comment on table _plinth.totp_steps is 'The newest time step accepted from each TOTP factor.';

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
grant select, insert, update, delete on _plinth.recovery_codes to supabase_auth_admin;

-- Requests to remove the second factors of users who have lost them (decision 73). A row exists until the factors are
-- removed or the request is canceled.
create table _plinth.factor_removals (
  -- The column has no foreign key, because another service may own auth.users.
  user_id uuid primary key,
  -- A SHA-256 hash of the token in the email that confirms the request.
  hash text not null unique,
  -- The language of later emails.
  language text,
  requested_at timestamptz not null,
  -- Null until the request is confirmed by email.
  due_at timestamptz,
  reminded_at timestamptz
);
comment on table _plinth.factor_removals is 'Requests to remove lost second factors after a waiting period.';
create index factor_removals_due_at_idx on _plinth.factor_removals (due_at) where due_at is not null;

grant select, insert, update, delete on _plinth.factor_removals to supabase_auth_admin;
