-- Accepted SAML assertions. Each is valid for only one sign-in, even after a crash. A row is deleted when its assertion
-- has expired and can't be used again anyway.
create table _plinth.saml_assertions (
  hash bytea primary key,
  expires_at timestamptz not null,
  flow_state_id uuid,
  session_not_after timestamptz
);
comment on table _plinth.saml_assertions is 'Spent SAML assertions, by a hash of issuer and ID; and until when the session of a PKCE sign-in may last.';
create index saml_assertions_expires_at_idx on _plinth.saml_assertions (expires_at);
create index saml_assertions_flow_state_id_idx on _plinth.saml_assertions (flow_state_id);
