-- A table of notes. Every signed-in user can read all notes but can write only their own.
create table public.notes (
  id bigint generated always as identity primary key,
  author uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null check (char_length(body) between 1 and 280),
  photo text,
  done boolean not null default false,
  created_at timestamptz not null default now()
);

alter table public.notes enable row level security;
grant select, insert, update, delete on public.notes to authenticated;

create policy "signed-in people read" on public.notes
  for select to authenticated using (true);
create policy "authors write" on public.notes
  for insert to authenticated with check (author = (select auth.uid()));
create policy "authors change" on public.notes
  for update to authenticated using (author = (select auth.uid())) with check (author = (select auth.uid()));
create policy "authors remove" on public.notes
  for delete to authenticated using (author = (select auth.uid()));

alter publication supabase_realtime add table public.notes;

-- Photos are stored in one folder per user, which is named after the user's ID.
create policy "own photo folder" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'photos' and (storage.foldername(name))[1] = (select auth.uid())::text);
