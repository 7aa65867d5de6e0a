-- Indexes that keep the Console's user list fast with a million users (decision 71).
set local role supabase_auth_admin;

-- Each index matches a sort order of the list in both directions. Null can't be compared with the last row of a page,
-- so it sorts as the smallest value.
create index users_list_created_idx on auth.users ((coalesce(created_at, '-infinity'::timestamptz)), id);
create index users_list_seen_idx on auth.users ((coalesce(last_sign_in_at, '-infinity'::timestamptz)), id);
create index users_list_email_idx on auth.users ((coalesce(lower(email), '')), id);

-- Few users are banned or belong to an SSO connection. Without these indexes, finding them would read all users.
create index users_banned_until_idx on auth.users (banned_until) where banned_until is not null;
create index users_sso_idx on auth.users (id) where is_sso_user;

create index identities_provider_idx on auth.identities (provider, user_id);
