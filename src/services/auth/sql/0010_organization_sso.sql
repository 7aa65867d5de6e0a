-- Verified domains, single sign-on and SCIM of organizations (decision 140). The organizations themselves are tables of
-- the project, so their IDs have no foreign key. Housekeeping deletes the rows of organizations that don't exist anymore.

create table _plinth.organization_domains (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  domain text not null check (domain = lower(domain)),
  -- The value of the TXT record that proves control of the domain. Anyone can read it in the DNS.
  token text not null,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  checked_at timestamptz,
  -- Since when the TXT record of a verified domain is missing.
  missing_since timestamptz,
  -- Whether users with a confirmed address in the domain can join.
  join_policy text not null default 'never' check (join_policy in ('never', 'request', 'join')),
  join_role text not null default 'member',
  unique (organization_id, domain)
);
comment on table _plinth.organization_domains is 'Email domains that organizations have claimed or verified.';
create unique index organization_domains_verified_idx on _plinth.organization_domains (domain)
  where verified_at is not null;
create index organization_domains_checked_idx on _plinth.organization_domains (checked_at)
  where verified_at is not null;

create table _plinth.organization_connections (
  -- Also the ID in auth.sso_providers, and in the names of the identities (`sso:ID`).
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null unique,
  -- The settings in use. Null until the connection is activated.
  settings jsonb,
  -- The settings that are being set up.
  draft jsonb,
  -- The hash of the settings with which the last test succeeded.
  tested text,
  activated_at timestamptz,
  is_disabled boolean not null default false,
  is_enforced boolean not null default false,
  -- Whether users who sign in for the first time become members.
  adds_members boolean not null default true,
  default_role text not null default 'member',
  -- The roles of groups, as a list of {"group", "role"}. The first group that a user is in decides.
  group_roles jsonb not null default '[]',
  updated_at timestamptz not null default now()
);
comment on table _plinth.organization_connections is 'The identity provider of each organization.';
create index organization_connections_entity_idx on _plinth.organization_connections ((settings ->> 'entityId'));

create table _plinth.organization_setup_links (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  hash bytea not null unique,
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  opened_at timestamptz
);
comment on table _plinth.organization_setup_links is 'Links with which IT administrators set up single sign-on, as hashes.';
create index organization_setup_links_organization_idx on _plinth.organization_setup_links (organization_id);

-- Test sign-ins, which show what the identity provider sends, and sign no one in.
create table _plinth.organization_sso_tests (
  -- The `state` or `RelayState` of the request.
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  link_id uuid not null references _plinth.organization_setup_links (id) on delete cascade,
  settings jsonb not null,
  -- The ID of the SAML request, or the PKCE code verifier.
  secret text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  result jsonb
);
comment on table _plinth.organization_sso_tests is 'Test sign-ins at the identity providers of organizations.';
create index organization_sso_tests_link_idx on _plinth.organization_sso_tests (link_id, created_at);

create table _plinth.scim_tokens (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
comment on table _plinth.scim_tokens is 'The hashes of the tokens with which identity providers call SCIM.';
create index scim_tokens_organization_idx on _plinth.scim_tokens (organization_id);

create table _plinth.scim_users (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  external_id text,
  active boolean not null default true,
  -- The other attributes, as the identity provider sent them.
  data jsonb not null default '{}',
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A removed user can't sign in with single sign-on until the identity provider adds the user again.
  removed_at timestamptz
);
comment on table _plinth.scim_users is 'The users whom the identity providers of organizations manage with SCIM.';
create unique index scim_users_name_idx on _plinth.scim_users (organization_id, lower(user_name)) where removed_at is null;
create unique index scim_users_user_idx on _plinth.scim_users (organization_id, user_id);
create index scim_users_user_id_idx on _plinth.scim_users (user_id);
create index scim_users_external_idx on _plinth.scim_users (organization_id, external_id);

create table _plinth.scim_groups (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  display_name text not null,
  external_id text,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table _plinth.scim_groups is 'The groups that the identity providers of organizations manage with SCIM.';
create unique index scim_groups_name_idx on _plinth.scim_groups (organization_id, lower(display_name));

create table _plinth.scim_group_members (
  group_id uuid not null references _plinth.scim_groups (id) on delete cascade,
  member_id uuid not null references _plinth.scim_users (id) on delete cascade,
  primary key (group_id, member_id)
);
comment on table _plinth.scim_group_members is 'The members of the groups in scim_groups.';
create index scim_group_members_member_idx on _plinth.scim_group_members (member_id);

create table _plinth.organization_events (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  kind text not null,
  -- Who made the change: a user, the holder of a setup link, the identity provider, or a check of the server.
  actor text not null check (actor in ('user', 'setup', 'scim', 'server')),
  user_id uuid,
  details jsonb not null default '{}',
  created_at timestamptz not null default now()
);
comment on table _plinth.organization_events is 'Changes of the domains, single sign-on and SCIM of organizations.';
create index organization_events_organization_idx on _plinth.organization_events (organization_id, id);
create index organization_events_user_idx on _plinth.organization_events (user_id);

revoke all on _plinth.organization_domains, _plinth.organization_connections, _plinth.organization_setup_links,
  _plinth.organization_sso_tests, _plinth.scim_tokens, _plinth.scim_users, _plinth.scim_groups,
  _plinth.scim_group_members, _plinth.organization_events from public;
grant select, insert, update, delete on _plinth.organization_domains, _plinth.organization_connections,
  _plinth.organization_setup_links, _plinth.organization_sso_tests, _plinth.scim_tokens, _plinth.scim_users,
  _plinth.scim_groups, _plinth.scim_group_members, _plinth.organization_events to supabase_auth_admin;
