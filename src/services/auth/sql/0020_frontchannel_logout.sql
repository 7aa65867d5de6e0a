-- OpenID Connect Front-Channel Logout: the client's logout page, which the Account pages load when a user signs out.
alter table _plinth.oauth_client_logout
  add column frontchannel_logout_uri text,
  add column frontchannel_logout_session_required boolean not null default false;
