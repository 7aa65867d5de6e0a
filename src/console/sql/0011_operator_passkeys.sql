-- Passkeys of operators: each proves the second factor in place of a code of the app.
create table _plinth.operator_passkeys (
  -- The credential's own id (WebAuthn level 3, section 4).
  id bytea primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  name text not null,
  -- A COSE key.
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index operator_passkeys_operator on _plinth.operator_passkeys (operator_id);

alter table _plinth.operator_sessions
  -- What a key is asked to sign; it is taken once, for what it was made for.
  add column challenge text,
  add column challenge_for text check (challenge_for in ('create', 'get')),
  add column challenge_at timestamptz;
