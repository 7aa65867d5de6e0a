-- One example per rule. Names that begin with "bad" are reported, and names that begin with "good" aren't.
create table public.bad_open (id int primary key, password text);
create table public.good_closed (id int primary key, password text);
alter table public.good_closed enable row level security;
create policy good_read on public.good_closed for select to authenticated using (id = 1);

create table public.bad_off (id int primary key, owner uuid);
create policy bad_off_read on public.bad_off for select using (owner = (select auth.uid()));

create table public.bad_silent (id int primary key);
alter table public.bad_silent enable row level security;

create table public.policies (id int primary key, owner uuid, note text);
alter table public.policies enable row level security;
create policy bad_per_row on public.policies for update to authenticated using (owner = auth.uid()) with check (owner = (select auth.uid()));
create policy good_cached on public.policies for delete to authenticated using (owner = (select auth.uid()));
create policy bad_metadata on public.policies for select to anon using (auth.jwt() -> 'user_metadata' ->> 'role' = 'admin');
create policy bad_true on public.policies for insert to authenticated with check (true);
create policy bad_null on public.policies for select to authenticated using (owner = null);
create policy bad_role on public.policies for select to service_role using (note = 'a');
create policy good_app_metadata on public.policies for select to authenticated using ((select auth.jwt()) -> 'app_metadata' ->> 'role' = 'admin');
-- The auth service reads this table in a hook.
grant select, delete on public.policies to supabase_auth_admin;
create policy good_admin on public.policies for delete to supabase_auth_admin using (true);
create table public.mixed (id int primary key);
alter table public.mixed enable row level security;
-- This policy doesn't allow any reads, but allows inserts.
create policy good_mixed on public.mixed for all to authenticated using (false) with check (id = 2);

-- The grants on this table are revoked below, so the policy has no effect.
create table public.ungranted (id int primary key);
alter table public.ungranted enable row level security;
revoke all on public.ungranted from anon;
create policy bad_privilege on public.ungranted for select to anon using (id = 1);
create policy good_privilege on public.ungranted for select to authenticated using (id = 1);

create view public.bad_definer as select id from public.good_closed;
create view public.good_invoker with (security_invoker = true) as select id from public.good_closed;
create view public.bad_users as select id, email from auth.users;
create materialized view public.bad_materialized as select 1 as id;
grant select on public.bad_materialized to public;
create materialized view public.good_materialized as select 1 as id;
revoke all on public.good_materialized from anon, authenticated;

create function public.bad_definer() returns int language sql security definer as 'select 1';
create function public.good_definer() returns int language sql security definer set search_path = '' as 'select 1';
revoke execute on function public.good_definer from public, anon, authenticated;

create table public.parents (id int primary key);
alter table public.parents enable row level security;
create policy good_parents on public.parents for select using (id = 1);
create table public.children (
  id int primary key,
  bad_parent int references public.parents,
  good_parent int references public.parents,
  same int
);
alter table public.children enable row level security;
create policy good_children on public.children for select using (id = 1);
create index good_parent on public.children (good_parent, id);
create index bad_same_1 on public.children (same);
create index bad_same_2 on public.children (same);

-- The names of these indexes are also the names of their columns.
create table public.contacts (id int primary key, email text, phone text, constraint twice unique (phone));
alter table public.contacts enable row level security;
create policy good_contacts on public.contacts for select using (id = 1);
create unique index email on public.contacts (email);
create unique index phone on public.contacts (phone);

-- The statistics of a partitioned index are always zero.
create table public.parts (id int, kind text) partition by range (id);
create table public.part partition of public.parts for values from (0) to (10);
create index good_kind on public.parts (kind);
alter table public.part enable row level security;
create policy good_part on public.part for select using (id = 1);

create table public.bad_keyless (id int);
alter table public.bad_keyless enable row level security;
create policy good_keyless on public.bad_keyless for select using (id = 1);

create table public.bad_types (id int primary key, kind regproc);
alter table public.bad_types enable row level security;
create policy good_types on public.bad_types for select using (id = 1);

create table public.bad_reference (id int primary key, phone text references auth.users (phone));
alter table public.bad_reference enable row level security;
create policy good_reference on public.bad_reference for select using (id = 1);
create index good_phone on public.bad_reference (phone);

insert into storage.buckets (id, name, public) values ('bad', 'bad', true), ('good', 'good', true);
create policy bad_listing on storage.objects for select to anon using (bucket_id = 'bad');
create policy good_listing on storage.objects for select to anon using (bucket_id = 'good' and owner_id = 'a');

create extension if not exists pg_trgm with schema public;
