-- The newest time step for which a code from each authenticator app was accepted. Each code works once (RFC 6238
-- section 5.2), across all processes and after a crash. The factor table has upstream's format, which has no column for
-- this step.
create table _plinth.totp_steps (
  -- The column has no foreign key, because another service may own auth.mfa_factors. Rows are deleted once no code for their
  -- step is valid.
  factor_id uuid primary key,
  step bigint not null
);
comment on table _plinth.totp_steps is 'The newest time step accepted from each TOTP factor.';
