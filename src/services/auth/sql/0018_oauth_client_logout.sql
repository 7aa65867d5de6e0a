-- OAuth clients' sign-out metadata (OpenID Connect RP-Initiated Logout and Back-Channel Logout). Upstream's
-- auth.oauth_clients has no columns for it.
create table _plinth.oauth_client_logout (
  -- The column has no foreign key, because another service may own auth.oauth_clients. Rows of deleted clients have no
  -- effect.
  client_id uuid primary key,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text
);
comment on table _plinth.oauth_client_logout is 'Where each OAuth client is notified, and where browsers return, after sign-out.';

grant select, insert, update, delete on _plinth.oauth_client_logout to supabase_auth_admin;
