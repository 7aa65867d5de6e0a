/** The SQL of the gallery's `varieties` table, which has a column of every type that has its own editor. */
export const varieties = `
create type public.light_requirement as enum ('full sun', 'partial shade', 'shade');
create table public.varieties (
  id bigint generated always as identity primary key,
  name text not null,
  supplier bigint references public.suppliers (id) on delete set null,
  light public.light_requirement not null default 'full sun',
  hardy boolean,
  sown_at timestamptz,
  harvest date,
  traits jsonb,
  tags text[] not null default '{}',
  price numeric(10, 2) check (price > 0),
  label text generated always as (upper(name)) stored,
  description text
);
comment on table public.varieties is 'Everything that can be sown, with its supplier';
create unique index varieties_name_key on public.varieties (lower(name));
create index on public.varieties using gin (traits);
create table public.tastings (
  variety bigint not null references public.varieties on delete cascade,
  score int not null check (score between 1 and 5),
  taken_on date not null default current_date,
  primary key (variety, taken_on)
);
create function public.normalize_name() returns trigger language plpgsql as
  $$ begin new.name := trim(new.name); return new; end $$;
create trigger normalize_name before insert or update of name on public.varieties
  for each row when (new.name is not null) execute function public.normalize_name();
insert into public.varieties (name, supplier, light, hardy, sown_at, harvest, traits, tags, price, description)
  select (array['Tomato', 'Pepper', 'Lettuce', 'Carrot', 'Runner bean', 'Pumpkin', 'Kale', 'Radish'])[1 + i % 8]
      || ' “' || (array['Brandywine', 'Early Jalapeño', 'Little Gem', 'Nantes', 'Scarlet Emperor'])[1 + i / 8 % 5]
      || ' ' || i || '”',
    nullif(1 + i % 7, 7), (enum_range(null::public.light_requirement))[1 + i % 3],
    (array[true, false, null])[1 + i % 3], timestamptz '2026-02-01 07:30+00' + i * interval '31 hours',
    case when i % 4 > 0 then date '2026-06-01' + i end,
    jsonb_build_object('days', 50 + i, 'color', (array['red', 'green', 'yellow'])[1 + i % 3],
      'resistant', jsonb_build_array('blight', 'mildew'), 'origin', jsonb_build_object('country', 'Peru')),
    (array['{heirloom,"slow bolting"}', '{new}', '{}'])[1 + i % 3]::text[], 1.95 + i * 0.15,
    case i % 5 when 0 then '' when 1 then null
      else repeat('Sow indoors in March, and harden off before planting out. ', i % 4) end
  from generate_series(1, 240) i;
insert into public.tastings select i, 1 + i % 5, date '2026-07-01' + i from generate_series(1, 60) i;
alter table public.varieties enable row level security;
alter table public.tastings enable row level security;
create policy "Anyone can see hardy varieties" on public.varieties for select to anon, authenticated using (hardy);
create policy "Staff can change varieties" on public.varieties for all to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'staff');
create policy "Second factor required" on public.varieties as restrictive for delete to authenticated
  using ((select auth.jwt() ->> 'aal') = 'aal2');
grant all on public.varieties, public.tastings to anon, authenticated, service_role;
`;
