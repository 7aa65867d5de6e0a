-- For each authenticator app, the newest time step whose code was accepted. Each code works only once (RFC 6238 section
-- 5.2), across all processes and after a crash. The factor table has upstream's columns, which don't include this step.
create table _plinth.totp_steps (
  -- The column has no foreign key, because another service may own auth.mfa_factors. A row is deleted once no code for
  -- its step is valid.
  factor_id uuid primary key,
  step bigint not null
);
comment on table _plinth.totp_steps is 'The newest time step accepted from each TOTP factor.';
