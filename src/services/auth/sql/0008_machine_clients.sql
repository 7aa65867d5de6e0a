-- What OAuth clients may do with the grant client_credentials (decision 142). Upstream's auth.oauth_clients has no columns
-- for it.
create table _plinth.oauth_machine_clients (
  -- The column has no foreign key, because another service may own auth.oauth_clients. Rows of deleted clients have no
  -- effect.
  client_id uuid primary key,
  scopes text[] not null,
  -- The database role of the client's tokens. It is checked again whenever a token is issued.
  role text not null
);
comment on table _plinth.oauth_machine_clients is 'The scopes and the database role of each machine-to-machine client.';

grant select, insert, update, delete on _plinth.oauth_machine_clients to supabase_auth_admin;
