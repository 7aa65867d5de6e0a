-- Passages of texts with their embeddings. Each user can read and write only their own rows.
create extension if not exists vector with schema extensions;

create table public.documents (
  id bigint generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  content text not null check (content <> ''),
  -- The embedding model. Only embeddings of the same model can be compared.
  model text not null,
  -- The number of dimensions depends on the model. supabase/functions/_shared/embed.ts contains the same number.
  embedding extensions.vector(384) not null,
  created_at timestamptz not null default now()
);
create index on public.documents (user_id, id);
create index on public.documents using hnsw (embedding extensions.vector_cosine_ops);
alter table public.documents enable row level security;
create policy "Users manage their own documents" on public.documents to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));
grant select, insert, update, delete on public.documents to authenticated;

-- Finds the caller's passages that are nearest to a question. The scan continues until it has found enough of them.
create function public.match_documents (
  query_embedding extensions.vector(384),
  query_model text,
  match_count int default 5
) returns table (id bigint, content text, similarity float)
language sql stable
set search_path = ''
set hnsw.iterative_scan = strict_order
set hnsw.ef_search = 100
as $$
  select d.id, d.content, 1 - (d.embedding operator(extensions.<=>) query_embedding)
  from public.documents d
  where d.model = query_model
  order by d.embedding operator(extensions.<=>) query_embedding
  limit least(match_count, 50)
$$;
revoke execute on function public.match_documents from public, anon;
grant execute on function public.match_documents to authenticated;

-- Clients receive changes to this table (`postgres_changes`).
alter publication supabase_realtime add table public.documents;
