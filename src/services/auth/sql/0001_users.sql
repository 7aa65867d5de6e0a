-- Tables for users, their identities, and the audit log, and the versions of the schema. Column names, types and order
-- of all tables in the auth schema match GoTrue 2.196, so that dumps of hosted projects load unchanged.
--
-- GoTrue's oldest tables have row-level security without policies, so API roles couldn't read any rows even if they
-- were granted access later. This role's default privileges grant all privileges on its tables to postgres and
-- dashboard_user. With the grant option, as on the hosted service, postgres can grant access to other roles.
set local role supabase_auth_admin;

create table auth.instances (
  id uuid not null,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz,
  constraint instances_pkey primary key (id)
);
comment on table auth.instances is 'Kept for dumps of older projects; always empty.';

-- As on the hosted service, only the flags have defaults, so a manual INSERT must include the token columns.
create table auth.users (
  instance_id uuid,
  id uuid not null,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text default null,
  phone_confirmed_at timestamptz default null,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz default null,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255) default '',
  email_change_confirm_status smallint default 0
    constraint users_email_change_confirm_status_check check (email_change_confirm_status between 0 and 2),
  banned_until timestamptz,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false,
  constraint users_pkey primary key (id),
  constraint users_phone_key unique (phone)
);
comment on table auth.users is 'One row for each account.';
comment on column auth.users.is_sso_user is 'True for accounts of a SAML provider; these may share an email address with others.';

create index users_instance_id_idx on auth.users (instance_id);
create index users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index users_is_anonymous_idx on auth.users (is_anonymous);
create unique index users_email_partial_key on auth.users (email) where is_sso_user = false;
-- Indexes only hashes, because blank values, and the plain digits in old projects, may occur more than once.
create unique index confirmation_token_idx on auth.users (confirmation_token) where confirmation_token !~ '^[0-9 ]*$';
create unique index recovery_token_idx on auth.users (recovery_token) where recovery_token !~ '^[0-9 ]*$';
create unique index email_change_token_current_idx on auth.users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index email_change_token_new_idx on auth.users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index reauthentication_token_idx on auth.users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';
-- Indexes for the Console's user list, which stays fast with a million users (decision 71). The first three match a
-- sort order of the list in both directions. Null can't be compared with the last row of a page, so it sorts as the
-- smallest value.
create index users_list_created_idx on auth.users ((coalesce(created_at, '-infinity'::timestamptz)), id);
create index users_list_seen_idx on auth.users ((coalesce(last_sign_in_at, '-infinity'::timestamptz)), id);
create index users_list_email_idx on auth.users ((coalesce(lower(email), '')), id);
-- Few users are banned or belong to an SSO connection. Without these indexes, finding them would read all users.
create index users_banned_until_idx on auth.users (banned_until) where banned_until is not null;
create index users_sso_idx on auth.users (id) where is_sso_user;

create table auth.identities (
  provider_id text not null,
  user_id uuid not null,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid(),
  constraint identities_pkey primary key (id),
  constraint identities_provider_id_provider_unique unique (provider_id, provider),
  constraint identities_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table auth.identities is 'What a user signs in with. For email and phone, provider_id is the id of the user.';
create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email text_pattern_ops);
-- Also used by the Console's user list.
create index identities_provider_idx on auth.identities (provider, user_id);

create table auth.audit_log_entries (
  instance_id uuid,
  id uuid not null,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default '',
  constraint audit_log_entries_pkey primary key (id)
);
comment on table auth.audit_log_entries is 'What was done, by whom.';
create index audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

-- GoTrue 2.196's version rows. Tools that check them consider this schema current.
create table auth.schema_migrations (
  version varchar(255) not null,
  constraint schema_migrations_pkey primary key (version)
);
comment on table auth.schema_migrations is 'Versions of this schema as GoTrue numbers them.';

insert into auth.schema_migrations (version) values
  ('00'),
  ('20210710035447'),
  ('20210722035447'),
  ('20210730183235'),
  ('20210909172000'),
  ('20210927181326'),
  ('20211122151130'),
  ('20211124214934'),
  ('20211202183645'),
  ('20220114185221'),
  ('20220114185340'),
  ('20220224000811'),
  ('20220323170000'),
  ('20220429102000'),
  ('20220531120530'),
  ('20220614074223'),
  ('20220811173540'),
  ('20221003041349'),
  ('20221003041400'),
  ('20221011041400'),
  ('20221020193600'),
  ('20221021073300'),
  ('20221021082433'),
  ('20221027105023'),
  ('20221114143122'),
  ('20221114143410'),
  ('20221125140132'),
  ('20221208132122'),
  ('20221215195500'),
  ('20221215195800'),
  ('20221215195900'),
  ('20230116124310'),
  ('20230116124412'),
  ('20230131181311'),
  ('20230322519590'),
  ('20230402418590'),
  ('20230411005111'),
  ('20230508135423'),
  ('20230523124323'),
  ('20230818113222'),
  ('20230914180801'),
  ('20231027141322'),
  ('20231114161723'),
  ('20231117164230'),
  ('20240115144230'),
  ('20240214120130'),
  ('20240306115329'),
  ('20240314092811'),
  ('20240427152123'),
  ('20240612123726'),
  ('20240729123726'),
  ('20240802193726'),
  ('20240806073726'),
  ('20241009103726'),
  ('20250717082212'),
  ('20250731150234'),
  ('20250804100000'),
  ('20250901200500'),
  ('20250903112500'),
  ('20250904133000'),
  ('20250925093508'),
  ('20251007112900'),
  ('20251104100000'),
  ('20251111201300'),
  ('20251201000000'),
  ('20260115000000'),
  ('20260121000000'),
  ('20260219120000'),
  ('20260302000000'),
  ('20260625000000');

alter table auth.instances enable row level security;
alter table auth.users enable row level security;
alter table auth.identities enable row level security;
alter table auth.audit_log_entries enable row level security;
alter table auth.schema_migrations enable row level security;
grant select on auth.instances, auth.users, auth.identities, auth.audit_log_entries to postgres with grant option;
-- As on the hosted service, only the owner can change the applied versions. `postgres` can read them.
revoke all on auth.schema_migrations from dashboard_user, postgres;
grant select on auth.schema_migrations to postgres with grant option;
