-- The browser of each session of the Account pages, and the apps that were signed in from there (decision 66).
-- Upstream's auth.sessions isn't changed.
create table _plinth.session_browsers (
  -- The columns have no foreign keys, because another service may own the auth schema. Also, an OAuth client's row is
  -- written before its session, when the user consents. The service deletes the rows of ended sessions.
  session_id uuid primary key,
  user_id uuid not null,
  -- A hash of the browser's cookie and the user, so that rows don't link users who share a browser.
  browser text not null,
  -- The origin of the app that received the session. Null for the Account pages and OAuth clients.
  app text,
  created_at timestamptz not null
);
comment on table _plinth.session_browsers is 'The browser and the app of each session that was created on the Account pages.';
create index session_browsers_browser_idx on _plinth.session_browsers (user_id, browser);

-- auth's role can change this table, because a row is written in the transaction that creates the session.
grant select, insert, update, delete on _plinth.session_browsers to supabase_auth_admin;
