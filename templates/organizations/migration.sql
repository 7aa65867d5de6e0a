-- Organizations: teams of users, their roles, invitations and requests to join.
--
-- `plinth organizations init` wrote this migration. It belongs to your project, so you can change it. Row level
-- security decides who can read and change the tables. Changes that need more than one row are functions in `public`,
-- which supabase-js calls with `rpc`. The schema `org` isn't exposed over REST. It contains the functions for the
-- policies of your own tables. Plinth's auth service calls only `org.token_claims`, as the signed-in user, and
-- `org.was_removed`.
--
-- Every function raises errors with a status for REST (PT403 is 403) and a stable code in `hint`.

do $$
declare
  taken text := (
    select string_agg(name, ', ')
    from unnest(array[
      'public.organizations', 'public.organization_roles', 'public.organization_memberships',
      'public.organization_invitations', 'public.organization_join_requests'
    ]) as name
    where to_regclass(name) is not null
  );
begin
  if to_regnamespace('org') is not null then taken := concat_ws(', ', taken, 'the schema org'); end if;
  if taken <> '' then
    raise exception 'The migration for organizations needs names that this database already uses: %.', taken
      using hint = 'Rename your objects, or change the names in the migration.';
  end if;
end
$$;

create schema org;

-- Tables ----------------------------------------------------------------------------------------------------------

create table public.organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(btrim(name)) between 1 and 100 and name !~ '[[:cntrl:]]'),
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  -- Whether users who know the slug can ask to join.
  accepts_join_requests boolean not null default false,
  created_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on public.organizations (created_by);

-- A member can grant roles up to the rank of the own role. Members with a rank of 50 or more manage the organization.
create table public.organization_roles (
  organization_id uuid not null references public.organizations on delete cascade,
  key text not null check (key ~ '^[a-z][a-z0-9_]{0,49}$'),
  name text not null check (char_length(btrim(name)) between 1 and 100),
  rank integer not null,
  built_in boolean not null default false,
  primary key (organization_id, key),
  check (built_in or rank between 1 and 99)
);

create table public.organization_memberships (
  organization_id uuid not null references public.organizations on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  role text not null default 'member',
  created_at timestamptz not null default now(),
  primary key (user_id, organization_id),
  foreign key (organization_id, role) references public.organization_roles (organization_id, key)
);
create index on public.organization_memberships (organization_id, role);

create table public.organization_invitations (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references public.organizations on delete cascade,
  -- Null for an invitation by link, which any signed-in user can accept once.
  email text check (email = lower(email) and email ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$' and char_length(email) <= 254),
  role text not null,
  invited_by uuid references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references auth.users on delete set null,
  foreign key (organization_id, role) references public.organization_roles (organization_id, key) on delete cascade
);
create unique index on public.organization_invitations (organization_id, email) where accepted_at is null;
create index on public.organization_invitations (email) where accepted_at is null;
create index on public.organization_invitations (organization_id, role);
create index on public.organization_invitations (invited_by);
create index on public.organization_invitations (accepted_by);

-- The tokens aren't in the table that clients read, and only their hashes are stored.
create table org.invitation_tokens (
  hash bytea primary key,
  invitation_id uuid not null unique references public.organization_invitations on delete cascade
);

create table public.organization_join_requests (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references public.organizations on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  message text check (char_length(message) <= 500),
  created_at timestamptz not null default now(),
  unique (organization_id, user_id)
);
create index on public.organization_join_requests (user_id);

-- The organization that a session has switched to.
create table org.sessions (
  session_id uuid primary key references auth.sessions on delete cascade,
  user_id uuid not null,
  organization_id uuid not null,
  foreign key (user_id, organization_id)
    references public.organization_memberships (user_id, organization_id) on delete cascade
);
create index on org.sessions (user_id, organization_id);

-- Users whom another person or an identity provider has removed. They can't join because of their email domain, but can
-- ask to join.
create table org.removed_members (
  organization_id uuid not null references public.organizations on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  removed_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index on org.removed_members (user_id);

-- Functions for policies ------------------------------------------------------------------------------------------

-- The organizations of the user. In a policy: organization_id = any (array(select org.ids()))
create function org.ids() returns setof uuid
language sql stable security definer set search_path = '' rows 5
as $$
  select m.organization_id from public.organization_memberships m where m.user_id = (select auth.uid())
$$;

-- The organizations in which the user has this role or a higher one.
create function org.ids(at_least text) returns setof uuid
language sql stable security definer set search_path = '' rows 5
as $$
  select m.organization_id
  from public.organization_memberships m
  join public.organization_roles r on r.organization_id = m.organization_id and r.key = m.role
  join public.organization_roles wanted on wanted.organization_id = m.organization_id and wanted.key = at_least
  where m.user_id = (select auth.uid()) and r.rank >= wanted.rank
$$;

create function org.is_member(organization uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.organization_memberships m
    where m.user_id = (select auth.uid()) and m.organization_id = organization
  )
$$;

-- Whether the user has one of the roles: org.has_role(organization_id, 'owner', 'billing')
create function org.has_role(organization uuid, variadic roles text[]) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.organization_memberships m
    where m.user_id = (select auth.uid()) and m.organization_id = organization and m.role = any (roles)
  )
$$;

-- Whether the user has this role or a higher one: org.at_least(organization_id, 'admin')
create function org.at_least(organization uuid, role text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select organization in (select org.ids(role))
$$;

-- The organization that the session has switched to. The claim alone isn't trusted, because the user may have been
-- removed after the token was issued.
create function org.current() returns uuid
language sql stable security definer set search_path = ''
as $$
  select m.organization_id
  from public.organization_memberships m
  where m.user_id = (select auth.uid()) and m.organization_id::text = (select auth.jwt()) ->> 'org_id'
$$;

-- The rank of a user's role, or null for a user who isn't a member.
create function org.rank(organization uuid, member uuid) returns integer
language sql stable security definer set search_path = ''
as $$
  select r.rank
  from public.organization_memberships m
  join public.organization_roles r on r.organization_id = m.organization_id and r.key = m.role
  where m.user_id = member and m.organization_id = organization
$$;

-- Whether the signed-in user manages the organization and can grant or change a role of this rank.
create function org.manages_rank(organization uuid, wanted integer) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(org.rank(organization, (select auth.uid())) >= greatest(wanted, 50), false)
$$;

create function org.manages_role(organization uuid, role text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(org.manages_rank(organization, r.rank), false)
  from public.organization_roles r
  where r.organization_id = organization and r.key = role
$$;

-- The claims that the auth service adds to the session's access tokens. Runs as the signed-in user.
create function org.token_claims() returns table (org_id uuid, org_role text)
language sql stable security definer set search_path = ''
as $$
  select m.organization_id, m.role
  from org.sessions s
  join public.organization_memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
  where s.session_id::text = auth.jwt() ->> 'session_id' and s.user_id = auth.uid()
$$;

-- Rules for all changes -------------------------------------------------------------------------------------------

create function org.fail(status integer, code text, message text) returns void
language plpgsql set search_path = ''
as $$
begin
  raise exception using errcode = 'PT' || status, message = message, hint = code;
end
$$;

-- Keeps at least one owner. The update of the organization makes concurrent changes wait for each other.
create function org.keep_owner() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.role = 'owner' and (
    tg_op = 'DELETE' or (new.role, new.organization_id, new.user_id) is distinct from (old.role, old.organization_id, old.user_id)
  ) then
    update public.organizations set updated_at = clock_timestamp() where id = old.organization_id;
    -- If the whole organization is being deleted, its row doesn't exist anymore.
    if found and not exists (
      select from public.organization_memberships m
      where m.organization_id = old.organization_id and m.role = 'owner' and m.user_id <> old.user_id
    ) then
      perform org.fail(409, 'last_owner',
        'An organization needs an owner. Make another member an owner, or delete the organization.');
    end if;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;

create trigger keep_owner before update or delete on public.organization_memberships
  for each row execute function org.keep_owner();

-- Remembers removed members until they are members again. Users who leave can come back.
create function org.note_removal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    delete from org.removed_members r where r.organization_id = new.organization_id and r.user_id = new.user_id;
  elsif old.user_id is distinct from (select auth.uid()) then
    -- If the user or the whole organization is being deleted, its row doesn't exist anymore.
    insert into org.removed_members (organization_id, user_id)
    select o.id, u.id from public.organizations o, auth.users u
    where o.id = old.organization_id and u.id = old.user_id
    on conflict do nothing;
  end if;
  return null;
end
$$;

create trigger note_removal after insert or delete on public.organization_memberships
  for each row execute function org.note_removal();

-- Plinth calls this function before users join because of their email domain.
create function org.was_removed(organization uuid, member uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from org.removed_members r where r.organization_id = organization and r.user_id = member
  )
$$;

create function org.touch() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end
$$;

create trigger touch before update on public.organizations for each row execute function org.touch();

-- The signed-in user. Guests and requests without a user are rejected.
create function org.require_user() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_id uuid := (select u.id from auth.users u where u.id = auth.uid() and not coalesce(u.is_anonymous, false));
begin
  if found_id is null then
    perform org.fail(403, 'account_required', 'Sign in with an account to use organizations.');
  end if;
  return found_id;
end
$$;

-- Whether the token may change organizations. An app that the user has allowed to act for them (OAuth) may only read,
-- because a membership that it creates would outlast the user's permission. A user with a second factor must have used it.
create function org.may_change() returns boolean
language sql stable security definer set search_path = ''
as $$
  select not coalesce(auth.jwt() ? 'client_id', false) and (
    coalesce(auth.jwt() ->> 'aal' = 'aal2', false)
    or not exists (select from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified')
  )
$$;

-- The signed-in user, who may change organizations.
create function org.require_change() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  person uuid := org.require_user();
begin
  if auth.jwt() ? 'client_id' then
    perform org.fail(403, 'not_allowed', 'An app that acts for a user can''t change organizations.');
  end if;
  if not org.may_change() then
    perform org.fail(403, 'insufficient_aal', 'Confirm the sign-in with your second factor first.');
  end if;
  return person;
end
$$;

-- The user's email address in lowercase, or null if the address isn't confirmed. If the project doesn't confirm
-- addresses, anyone can sign up with any address, so this address alone must never grant access.
create function org.verified_email(member uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select lower(u.email) from auth.users u where u.id = member and u.email_confirmed_at is not null
$$;

-- Locks an invitation that the signed-in user can accept or decline. Returns null fields if there is none.
create function org.open_invitation(token text, invitation_id uuid) returns public.organization_invitations
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_user();
  address text := org.verified_email(person);
  invitation public.organization_invitations;
begin
  if (token is null) = (invitation_id is null) then
    perform org.fail(400, 'invalid_input', 'Pass either the token or the ID of the invitation.');
  end if;
  if token is not null then
    select i.* into invitation
    from org.invitation_tokens t join public.organization_invitations i on i.id = t.invitation_id
    where t.hash = sha256(convert_to(token, 'UTF8')) and char_length(token) = 64
    for update of i;
  else
    select i.* into invitation
    from public.organization_invitations i
    where i.id = open_invitation.invitation_id and i.email = address
    for update of i;
  end if;
  if invitation.id is null then
    perform org.fail(404, 'invitation_not_found', 'This invitation doesn''t exist. Ask for another one.');
  end if;
  if invitation.accepted_at is not null then
    perform org.fail(410, 'invitation_used', 'This invitation has already been used. Ask for another one.');
  end if;
  if invitation.email is distinct from address and invitation.email is not null then
    perform org.fail(403, 'invitation_for_other_email',
      'This invitation is for another email address. Sign in with that address, and verify it.');
  end if;
  return invitation;
end
$$;

-- Functions for clients -------------------------------------------------------------------------------------------

create function public.create_organization(name text, slug text default null) returns public.organizations
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_change();
  base text := trim(both '-' from left(regexp_replace(lower(coalesce(create_organization.name, '')), '[^a-z0-9]+', '-', 'g'), 40));
  created public.organizations;
begin
  -- Concurrent calls of a user wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('create_organization ' || person, 0));
  if (select count(*) from public.organizations o where o.created_by = person) >= 100 then
    perform org.fail(429, 'limit_reached', 'You can''t create more than 100 organizations.');
  end if;
  if char_length(btrim(coalesce(name, ''))) not between 1 and 100 or name ~ '[[:cntrl:]]' then
    perform org.fail(400, 'invalid_input', 'The name of an organization has 1 to 100 characters.');
  end if;
  if slug !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' then
    perform org.fail(400, 'invalid_input', 'A slug has up to 63 lowercase letters, digits and hyphens.');
  end if;
  insert into public.organizations (name, slug, created_by)
  values (
    btrim(create_organization.name),
    coalesce(create_organization.slug, concat_ws('-', nullif(base, ''), left(replace(gen_random_uuid()::text, '-', ''), 8))),
    person
  )
  on conflict on constraint organizations_slug_key do nothing
  returning * into created;
  if created.id is null then
    perform org.fail(409, 'slug_taken', 'Another organization uses this slug.');
  end if;
  insert into public.organization_roles (organization_id, key, name, rank, built_in)
  values (created.id, 'owner', 'Owner', 100, true), (created.id, 'admin', 'Admin', 50, true), (created.id, 'member', 'Member', 10, true);
  insert into public.organization_memberships (organization_id, user_id, role) values (created.id, person, 'owner');
  return created;
end
$$;

create function public.delete_organization(organization_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform org.require_change();
  if not org.is_member(organization_id) then
    perform org.fail(404, 'organization_not_found', 'You aren''t a member of this organization.');
  end if;
  if not org.has_role(organization_id, 'owner') then
    perform org.fail(403, 'not_allowed', 'Only an owner can delete the organization.');
  end if;
  delete from public.organizations o where o.id = delete_organization.organization_id;
end
$$;

-- Returns the members with their names. Only members who manage the organization read the email addresses of others.
create function public.organization_members(organization_id uuid)
returns table (user_id uuid, name text, email text, role text, joined_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select
    m.user_id,
    left(coalesce(nullif(u.raw_user_meta_data ->> 'full_name', ''), nullif(u.raw_user_meta_data ->> 'name', '')), 100),
    case when u.id = auth.uid() or org.manages_rank(m.organization_id, 50) then u.email::text end,
    m.role,
    m.created_at
  from public.organization_memberships m
  join auth.users u on u.id = m.user_id
  where m.organization_id = organization_members.organization_id and org.is_member(m.organization_id)
  order by m.created_at, m.user_id
$$;

-- Creates an invitation for an email address or, without one, a link. The token is returned only here.
create function public.invite_to_organization(organization_id uuid, email text default null, role text default 'member')
returns table (id uuid, token text, expires_at timestamptz)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := org.require_change();
  address text := lower(btrim(invite_to_organization.email));
  created public.organization_invitations;
  -- 244 random bits.
  secret text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  if not org.is_member(invite_to_organization.organization_id) then
    perform org.fail(404, 'organization_not_found', 'You aren''t a member of this organization.');
  end if;
  if not exists (
    select from public.organization_roles r
    where r.organization_id = invite_to_organization.organization_id and r.key = invite_to_organization.role
  ) then
    perform org.fail(400, 'role_not_found', 'The organization doesn''t have this role.');
  end if;
  if not org.manages_role(invite_to_organization.organization_id, invite_to_organization.role) then
    perform org.fail(403, 'not_allowed', 'Your role doesn''t allow you to invite members with this role.');
  end if;
  if address !~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$' or char_length(address) > 254 then
    perform org.fail(400, 'invalid_input', 'The email address isn''t valid.');
  end if;
  if exists (
    select from public.organization_memberships m
    where m.organization_id = invite_to_organization.organization_id and org.verified_email(m.user_id) = address
  ) then
    perform org.fail(409, 'already_member', 'A member already uses this email address.');
  end if;
  -- Waits for concurrent invitations of the same organization.
  perform from public.organizations o where o.id = invite_to_organization.organization_id for no key update;
  delete from public.organization_invitations i
  where i.organization_id = invite_to_organization.organization_id and i.accepted_at is null
    and (i.email = address or i.expires_at < now());
  if (
    select count(*) from public.organization_invitations i
    where i.organization_id = invite_to_organization.organization_id and i.accepted_at is null
  ) >= 200 then
    perform org.fail(429, 'limit_reached', 'The organization has 200 open invitations. Delete some of them first.');
  end if;
  insert into public.organization_invitations (organization_id, email, role, invited_by)
  values (invite_to_organization.organization_id, address, invite_to_organization.role, person)
  returning * into created;
  insert into org.invitation_tokens (hash, invitation_id) values (sha256(convert_to(secret, 'UTF8')), created.id);
  return query select created.id, secret, created.expires_at;
end
$$;

-- Describes an invitation to the holder of its token, who doesn't have to be signed in.
create function public.organization_invitation(token text)
returns table (id uuid, organization_name text, role text, role_name text, email text, expires_at timestamptz, state text)
language sql stable security definer set search_path = ''
as $$
  select
    i.id, o.name, i.role, r.name, i.email, i.expires_at,
    case
      when i.accepted_at is not null then 'used'
      when i.expires_at < now() or coalesce(org.rank(i.organization_id, i.invited_by) < greatest(r.rank, 50), true) then 'expired'
      else 'open'
    end
  from org.invitation_tokens t
  join public.organization_invitations i on i.id = t.invitation_id
  join public.organizations o on o.id = i.organization_id
  join public.organization_roles r on r.organization_id = i.organization_id and r.key = i.role
  where t.hash = sha256(convert_to(organization_invitation.token, 'UTF8')) and char_length(organization_invitation.token) = 64
$$;

-- The open invitations for the user's confirmed email address. Only their tokens, which were emailed, accept them.
create function public.my_organization_invitations()
returns table (id uuid, organization_name text, role text, role_name text, expires_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select i.id, o.name, i.role, r.name, i.expires_at
  from public.organization_invitations i
  join public.organizations o on o.id = i.organization_id
  join public.organization_roles r on r.organization_id = i.organization_id and r.key = i.role
  where i.email = org.verified_email((select auth.uid())) and i.accepted_at is null and i.expires_at >= now()
    and org.rank(i.organization_id, i.invited_by) >= greatest(r.rank, 50)
  order by i.created_at
$$;

-- Joins the organization. Returns its ID. The token proves that the user has received the invitation. An invitation is
-- valid only while its inviter could still create it.
create function public.accept_organization_invitation(token text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_change();
  invitation public.organization_invitations := org.open_invitation(token, null);
  wanted integer := (
    select r.rank from public.organization_roles r
    where r.organization_id = invitation.organization_id and r.key = invitation.role
  );
begin
  if invitation.expires_at < now() or coalesce(org.rank(invitation.organization_id, invitation.invited_by) < greatest(wanted, 50), true) then
    perform org.fail(410, 'invitation_expired', 'This invitation has expired. Ask for another one.');
  end if;
  insert into public.organization_memberships (organization_id, user_id, role)
  values (invitation.organization_id, person, invitation.role)
  on conflict on constraint organization_memberships_pkey do nothing;
  if not found then
    perform org.fail(409, 'already_member', 'You are already a member of this organization.');
  end if;
  update public.organization_invitations i set accepted_at = now(), accepted_by = person where i.id = invitation.id;
  delete from public.organization_join_requests q
  where q.organization_id = invitation.organization_id and q.user_id = person;
  return invitation.organization_id;
end
$$;

-- Declines an invitation for the user's email address. An invitation by link can only be ignored.
create function public.decline_organization_invitation(token text default null, invitation_id uuid default null) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  -- Comes first, so that a token that may only read learns nothing about the invitation.
  person uuid := org.require_change();
  invitation public.organization_invitations := org.open_invitation(token, invitation_id);
begin
  if invitation.email is null then
    perform org.fail(400, 'invalid_input', 'An invitation by link can''t be declined. Ignore the link.');
  end if;
  delete from public.organization_invitations i where i.id = invitation.id;
end
$$;

-- Asks to join. Organizations that don't accept requests and unknown slugs have the same error.
create function public.request_to_join_organization(slug text, message text default null) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_change();
  target uuid := (
    select o.id from public.organizations o
    where o.slug = request_to_join_organization.slug and o.accepts_join_requests
  );
  request_id uuid;
begin
  if target is null then
    perform org.fail(404, 'organization_not_found', 'No organization with this slug accepts requests.');
  end if;
  if char_length(message) > 500 then
    perform org.fail(400, 'invalid_input', 'The message has more than 500 characters.');
  end if;
  if org.is_member(target) then
    perform org.fail(409, 'already_member', 'You are already a member of this organization.');
  end if;
  insert into public.organization_join_requests as q (organization_id, user_id, message)
  values (target, person, request_to_join_organization.message)
  on conflict on constraint organization_join_requests_organization_id_user_id_key do update set message = excluded.message
  returning q.id into request_id;
  return request_id;
end
$$;

-- Returns the requests to join for members who manage the organization.
create function public.organization_requests(organization_id uuid)
returns table (id uuid, user_id uuid, name text, email text, message text, created_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select
    q.id,
    q.user_id,
    left(coalesce(nullif(u.raw_user_meta_data ->> 'full_name', ''), nullif(u.raw_user_meta_data ->> 'name', '')), 100),
    org.verified_email(q.user_id),
    q.message,
    q.created_at
  from public.organization_join_requests q
  join auth.users u on u.id = q.user_id
  where q.organization_id = organization_requests.organization_id and org.manages_rank(q.organization_id, 50)
  order by q.created_at, q.id
$$;

-- The user's own requests to join.
create function public.my_organization_requests()
returns table (id uuid, organization_name text, created_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select q.id, o.name, q.created_at
  from public.organization_join_requests q
  join public.organizations o on o.id = q.organization_id
  where q.user_id = (select auth.uid())
  order by q.created_at, q.id
$$;

create function public.approve_organization_join_request(request_id uuid, role text default 'member') returns void
language plpgsql security definer set search_path = ''
as $$
declare
  request public.organization_join_requests;
begin
  perform org.require_change();
  select q.* into request
  from public.organization_join_requests q
  where q.id = request_id and q.organization_id in (select org.ids('admin'))
  for update;
  if request.id is null then
    perform org.fail(404, 'request_not_found', 'This request doesn''t exist.');
  end if;
  if not coalesce(org.manages_role(request.organization_id, approve_organization_join_request.role), false) then
    perform org.fail(403, 'not_allowed', 'Your role doesn''t allow you to add members with this role.');
  end if;
  insert into public.organization_memberships (organization_id, user_id, role)
  values (request.organization_id, request.user_id, approve_organization_join_request.role)
  on conflict on constraint organization_memberships_pkey do nothing;
  delete from public.organization_join_requests q where q.id = request_id;
end
$$;

create function public.leave_organization(organization_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform org.require_change();
  delete from public.organization_memberships m
  where m.organization_id = leave_organization.organization_id and m.user_id = auth.uid();
  if not found then
    perform org.fail(404, 'organization_not_found', 'You aren''t a member of this organization.');
  end if;
end
$$;

-- Makes another member an owner, and the user an admin.
create function public.transfer_organization(organization_id uuid, user_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_change();
begin
  if not org.is_member(organization_id) then
    perform org.fail(404, 'organization_not_found', 'You aren''t a member of this organization.');
  end if;
  -- Waits for concurrent changes of both members, in an order that can't deadlock, and then reads the user's role.
  perform from public.organization_memberships m
  where m.organization_id = transfer_organization.organization_id and m.user_id in (person, transfer_organization.user_id)
  order by m.user_id
  for update;
  perform from public.organization_memberships m
  where m.organization_id = transfer_organization.organization_id and m.user_id = person and m.role = 'owner';
  if not found then
    perform org.fail(403, 'not_allowed', 'Only an owner can transfer the organization.');
  end if;
  if transfer_organization.user_id = person then
    perform org.fail(400, 'invalid_input', 'Choose another member.');
  end if;
  update public.organization_memberships m set role = 'owner'
  where m.organization_id = transfer_organization.organization_id and m.user_id = transfer_organization.user_id;
  if not found then
    perform org.fail(404, 'member_not_found', 'The user isn''t a member of this organization.');
  end if;
  update public.organization_memberships m set role = 'admin'
  where m.organization_id = transfer_organization.organization_id and m.user_id = person;
end
$$;

-- Selects the organization of the session, or none. The next access token contains the claims org_id and org_role.
create function public.switch_organization(organization_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := org.require_user();
  session uuid := (
    select s.id from auth.sessions s where s.id::text = auth.jwt() ->> 'session_id' and s.user_id = person
  );
begin
  if session is null then
    perform org.fail(403, 'session_required', 'Only a signed-in session can switch to an organization.');
  end if;
  if organization_id is null then
    delete from org.sessions s where s.session_id = session;
    return;
  end if;
  if not org.is_member(organization_id) then
    perform org.fail(404, 'organization_not_found', 'You aren''t a member of this organization.');
  end if;
  insert into org.sessions as s (session_id, user_id, organization_id)
  values (session, person, switch_organization.organization_id)
  on conflict (session_id) do update set organization_id = excluded.organization_id;
end
$$;

-- Row level security ----------------------------------------------------------------------------------------------

alter table public.organizations enable row level security;
alter table public.organization_roles enable row level security;
alter table public.organization_memberships enable row level security;
alter table public.organization_invitations enable row level security;
alter table public.organization_join_requests enable row level security;
alter table org.invitation_tokens enable row level security;
alter table org.sessions enable row level security;
alter table org.removed_members enable row level security;

create policy "members read their organizations" on public.organizations
  for select to authenticated using (id = any (array(select org.ids())));
create policy "admins change their organizations" on public.organizations
  for update to authenticated using (id = any (array(select org.ids('admin'))));

create policy "members read the roles" on public.organization_roles
  for select to authenticated using (organization_id = any (array(select org.ids())));
create policy "admins add roles up to their own" on public.organization_roles
  for insert to authenticated with check (not built_in and org.manages_rank(organization_id, rank));
create policy "admins change roles up to their own" on public.organization_roles
  for update to authenticated using (not built_in and org.manages_rank(organization_id, rank))
  with check (not built_in and org.manages_rank(organization_id, rank));
create policy "admins delete roles up to their own" on public.organization_roles
  for delete to authenticated using (not built_in and org.manages_rank(organization_id, rank));

create policy "members read the members" on public.organization_memberships
  for select to authenticated using (organization_id = any (array(select org.ids())));
create policy "admins change roles of members up to their own" on public.organization_memberships
  for update to authenticated using (org.manages_role(organization_id, role))
  with check (org.manages_role(organization_id, role));
create policy "members leave and admins remove members" on public.organization_memberships
  for delete to authenticated
  using (user_id = (select auth.uid()) or org.manages_role(organization_id, role));

create policy "admins read invitations" on public.organization_invitations
  for select to authenticated using (organization_id = any (array(select org.ids('admin'))));
create policy "admins delete invitations" on public.organization_invitations
  for delete to authenticated using (organization_id = any (array(select org.ids('admin'))));

create policy "admins and the user read requests" on public.organization_join_requests
  for select to authenticated
  using (user_id = (select auth.uid()) or organization_id = any (array(select org.ids('admin'))));
create policy "admins and the user delete requests" on public.organization_join_requests
  for delete to authenticated
  using (user_id = (select auth.uid()) or organization_id = any (array(select org.ids('admin'))));

-- Changes need more than reads: see org.may_change.
create policy "apps and sign-ins without the second factor can't change" on public.organizations
  as restrictive for update to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't add" on public.organization_roles
  as restrictive for insert to authenticated with check ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't change" on public.organization_roles
  as restrictive for update to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't delete" on public.organization_roles
  as restrictive for delete to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't change" on public.organization_memberships
  as restrictive for update to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't delete" on public.organization_memberships
  as restrictive for delete to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't delete" on public.organization_invitations
  as restrictive for delete to authenticated using ((select org.may_change()));
create policy "apps and sign-ins without the second factor can't delete" on public.organization_join_requests
  as restrictive for delete to authenticated using ((select org.may_change()));

-- Grants ----------------------------------------------------------------------------------------------------------

revoke all on public.organizations, public.organization_roles, public.organization_memberships,
  public.organization_invitations, public.organization_join_requests from anon, authenticated;
grant select on public.organizations, public.organization_roles, public.organization_memberships,
  public.organization_invitations, public.organization_join_requests to authenticated;
grant update (name, slug, accepts_join_requests) on public.organizations to authenticated;
grant insert (organization_id, key, name, rank), update (name, rank), delete on public.organization_roles to authenticated;
grant update (role), delete on public.organization_memberships to authenticated;
grant delete on public.organization_invitations, public.organization_join_requests to authenticated;
grant all on public.organizations, public.organization_roles, public.organization_memberships,
  public.organization_invitations, public.organization_join_requests to service_role;

revoke all on schema org from public;
revoke all on all tables in schema org from public, anon, authenticated, service_role;
revoke all on all functions in schema org from public, anon, authenticated, service_role;
grant usage on schema org to anon, authenticated, service_role;
grant execute on function org.ids(), org.ids(text), org.is_member(uuid), org.has_role(uuid, text[]),
  org.at_least(uuid, text), org.current() to anon, authenticated, service_role;
grant execute on function org.manages_rank(uuid, integer), org.manages_role(uuid, text), org.may_change(),
  org.token_claims() to authenticated;
grant execute on function org.was_removed(uuid, uuid) to service_role;

revoke all on function public.create_organization(text, text), public.delete_organization(uuid),
  public.organization_members(uuid), public.invite_to_organization(uuid, text, text), public.organization_invitation(text),
  public.my_organization_invitations(), public.accept_organization_invitation(text),
  public.decline_organization_invitation(text, uuid), public.request_to_join_organization(text, text),
  public.organization_requests(uuid), public.my_organization_requests(),
  public.approve_organization_join_request(uuid, text), public.leave_organization(uuid),
  public.transfer_organization(uuid, uuid), public.switch_organization(uuid) from public, anon, authenticated, service_role;
grant execute on function public.create_organization(text, text), public.delete_organization(uuid),
  public.organization_members(uuid), public.invite_to_organization(uuid, text, text), public.organization_invitation(text),
  public.my_organization_invitations(), public.accept_organization_invitation(text),
  public.decline_organization_invitation(text, uuid), public.request_to_join_organization(text, text),
  public.organization_requests(uuid), public.my_organization_requests(),
  public.approve_organization_join_request(uuid, text), public.leave_organization(uuid),
  public.transfer_organization(uuid, uuid), public.switch_organization(uuid) to authenticated;
grant execute on function public.organization_invitation(text) to anon;
