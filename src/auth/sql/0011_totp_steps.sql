-- The newest time step whose code each authenticator app was accepted with: a code works once (RFC 6238 section 5.2), in all
-- processes and after a crash. The table of factors is upstream's and has no column for it.
create table _plinth.totp_steps (
  -- No foreign key: auth.mfa_factors may belong to somebody else's database. Rows go when no code of their step counts.
  factor_id uuid primary key,
  step bigint not null
);
comment on table _plinth.totp_steps is 'The newest time step accepted from each TOTP factor.';
