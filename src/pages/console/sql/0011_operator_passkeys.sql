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

alter table _plinth.operator_sessions
  -- The challenge that a passkey must sign. It can be used only once and for a single purpose.
  add column challenge text,
  add column challenge_for text check (challenge_for in ('create', 'get')),
  add column challenge_at timestamptz;
