/** Defines the tables, policies and views of the cases, which the project's owner creates. */
import { ada, eve } from './case.ts';

export const whySchema = `
  create table public.plain (id int primary key, body text);
  insert into public.plain values (1, 'a');

  create table public.closed (id int primary key, body text);
  alter table public.closed enable row level security;
  insert into public.closed values (1, 'a');

  create table public.notes (id int primary key, owner uuid default auth.uid(), body text, public boolean not null default false,
    locked boolean not null default false, level int);
  alter table public.notes enable row level security;
  insert into public.notes values (1, '${ada}', 'hers', false, false, 1), (2, '${eve}', 'another''s', false, false, null),
    (3, '${eve}', 'for all', true, false, 3), (4, '${ada}', 'locked', false, true, 4), (5, null, 'unowned', false, false, 5);
  create policy "read own or public" on public.notes for select using (owner = auth.uid() or public);
  create policy "write own" on public.notes for insert to authenticated with check (owner = (select auth.uid()));
  create policy "change own" on public.notes for update to authenticated using (owner = auth.uid()) with check (owner = auth.uid() and level < 10);
  create policy "remove own" on public.notes for delete to authenticated using (owner = auth.uid());
  create policy "locked stays" on public.notes as restrictive for update using (not locked);
  create policy "editors" on public.notes for update to why_editor using (true) with check (body <> 'no');

  create table public.members (room int, who uuid);
  alter table public.members enable row level security;
  create policy "see own" on public.members for select using (who = auth.uid());
  insert into public.members values (1, '${ada}'), (2, '${eve}');
  create table public.rooms (id int primary key, name text);
  alter table public.rooms enable row level security;
  insert into public.rooms values (1, 'a'), (2, 'b');
  create policy "members" on public.rooms using (exists (select 1 from public.members m where m.room = rooms.id and m.who = auth.uid()));

  create table public.hidden_members (room int, who uuid);
  revoke all on public.hidden_members from anon, authenticated, service_role;
  create table public.halls (id int primary key);
  alter table public.halls enable row level security;
  insert into public.halls values (1);
  create policy "members" on public.halls using (exists (select 1 from public.hidden_members m where m.room = halls.id));

  create function public.is_staff() returns boolean language sql stable security definer set search_path = '' as
    $$ select coalesce(auth.jwt() -> 'app_metadata' ->> 'staff', 'false')::boolean $$;
  create table public.staff_notes (id int primary key, body text);
  alter table public.staff_notes enable row level security;
  insert into public.staff_notes values (1, 'x');
  create policy "staff" on public.staff_notes using (public.is_staff());

  create function public.no_entry() returns boolean language sql stable as $$ select true $$;
  revoke execute on function public.no_entry() from public, anon, authenticated, service_role;
  create table public.barred (id int primary key);
  alter table public.barred enable row level security;
  insert into public.barred values (1);
  create policy "barred" on public.barred using (public.no_entry());

  create table public.ungranted (id int primary key, body text);
  insert into public.ungranted values (1, 'x');
  revoke all on public.ungranted from anon, authenticated, service_role;
  grant select (id) on public.ungranted to authenticated;

  create schema inner_rooms;
  create table public.serial_notes (id serial primary key, body text);
  revoke all on sequence public.serial_notes_id_seq from anon, authenticated, service_role;
  create table public.identity_notes (id int generated always as identity primary key, body text);

  create table public.forced (id int primary key, body text);
  alter table public.forced owner to why_landlord;
  insert into public.forced values (1, 'x');
  create table public.owned (id int primary key, body text);
  insert into public.owned values (1, 'x');
  alter table public.owned owner to why_landlord;
  grant select on public.owned, public.forced to authenticated;
  alter table public.owned enable row level security;
  alter table public.forced enable row level security;
  alter table public.forced force row level security;

  create table public.stamped (id int primary key, owner uuid, body text);
  alter table public.stamped enable row level security;
  create function public.stamp() returns trigger language plpgsql as $$ begin new.owner = auth.uid(); return new; end $$;
  create trigger stamp before insert on public.stamped for each row execute function public.stamp();
  create policy "stamped" on public.stamped for insert with check (owner = auth.uid());

  create table public.only_restrictive (id int primary key);
  alter table public.only_restrictive enable row level security;
  insert into public.only_restrictive values (1);
  create policy "r" on public.only_restrictive as restrictive using (true);

  create table public.faulty (id int primary key, n int);
  alter table public.faulty enable row level security;
  insert into public.faulty values (1, 0);
  create policy "f" on public.faulty using (10 / n > 1);

  create table public."We""ird" (id int primary key, "ow""ner" uuid, "a and b" boolean);
  alter table public."We""ird" enable row level security;
  insert into public."We""ird" values (1, '${ada}', true);
  create policy "p""q" on public."We""ird" using ("ow""ner" = auth.uid() and "a and b");

  create view public.notes_view as select * from public.notes;
  create view public.notes_invoker with (security_invoker) as select * from public.notes;
  grant select on public.notes_view, public.notes_invoker to anon, authenticated;

  create table public.typed (id int primary key, t text[], j jsonb, r int4range, n numeric);
  alter table public.typed enable row level security;
  insert into public.typed values (1, array['a,b','c"d'], '{"k": null}', '[1,5)', 1.50);
  create policy "t" on public.typed using (t @> array['a,b'] and (j ? 'k') and r @> 3 and n = 1.5);
  create function public.whole(t public.typed) returns boolean language sql stable as $$ select t.n > 1 $$;
  create policy "whole" on public.typed as restrictive using (public.whole(typed));

  create table public.guarded (id int primary key, holder uuid, body text);
  alter table public.guarded enable row level security;
  insert into public.guarded values (1, '${ada}', 'hers'), (2, '${eve}', 'another''s'), (3, '${ada}', 'hers, labeled');
  create policy "holder" on public.guarded using (holder = auth.uid());
  create table public.labels (guarded_id int primary key, label text, secret boolean not null);
  alter table public.labels enable row level security;
  insert into public.labels values (1, 'one', false), (2, 'two', false), (3, 'three', true);
  create policy "no secrets" on public.labels for select using (not secret);
  create table public.landlords_not (id int primary key);
  insert into public.landlords_not values (1);

  create view public.v_joined with (security_invoker) as
    select g.id, g.body as text, l.guarded_id, l.label from public.guarded g join public.labels l on l.guarded_id = g.id;
  create view public.v_left with (security_invoker) as
    select g.id, l.guarded_id, l.label from public.guarded g left join public.labels l on l.guarded_id = g.id;
  create view public.v_landlord as select id, holder, body from public.guarded;
  create view public.v_mine as select * from public.guarded where holder = auth.uid();
  create view public.v_poor as select id from public.landlords_not;
  create view public.v_renamed with (security_invoker) as select id as number, holder as who from public.guarded;
  create view public.v_outer with (security_invoker) as select number, upper('x') as x from public.v_renamed;
  create view public.v_counted with (security_invoker) as select holder, count(*) as n from public.guarded group by holder;
  create view public.v_twice with (security_invoker) as
    select a.id, b.id as other from public.guarded a join public.guarded b on a.holder = b.holder and a.id < b.id;
  grant select, insert, update, delete on public.guarded to why_landlord;
  alter view public.v_landlord owner to why_landlord;
  alter view public.v_poor owner to why_landlord;
`;
