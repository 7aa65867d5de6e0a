-- Adds operators' second factors, and session IDs that can be shown to operators.
alter table _plinth.operators
  -- The secret is encrypted with a key outside the database, so a role that can read every table can't generate codes.
  add column totp_secret bytea,
  add column totp_confirmed_at timestamptz,
  -- The time step of the last used code. Each code is accepted only once (RFC 6238, section 5.2).
  add column totp_last_step bigint not null default 0,
  add constraint operators_totp_is_whole check (totp_secret is not null or totp_confirmed_at is null);

create table _plinth.operator_recovery_codes (
  operator_id uuid not null references _plinth.operators on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (operator_id, code_hash)
);

alter table _plinth.operator_sessions
  add column id uuid not null default gen_random_uuid() unique,
  add column ip text,
  -- When the second factor was verified. Null until then.
  add column factor_at timestamptz;
