-- Notes with an optional image. Each user can read and write only their own notes.
create table public.notes (
  id bigint generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  text text not null check (text <> ''),
  image_path text,
  created_at timestamptz not null default now()
);
create index on public.notes (user_id, created_at);
alter table public.notes enable row level security;
create policy "Users manage their own notes" on public.notes to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));
grant select, insert, update, delete on public.notes to authenticated;

-- Clients receive changes to this table (`postgres_changes`).
alter publication supabase_realtime add table public.notes;

-- Images are stored in a private bucket, in one folder per user.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('images', 'images', false, 5242880, '{image/*}');
create policy "Users manage their own images" on storage.objects to authenticated
  using (bucket_id = 'images' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'images' and (storage.foldername(name))[1] = (select auth.uid())::text);
