/**
 * Tests the retrieval examples of upstream's guides through the stock client: `match_documents` with a metadata filter,
 * as the guide to LangChain has it, and the function of the guide to semantic search, which returns rows of the table.
 * No user may find another user's documents, however similar they are.
 */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { missingPack } from '../support/packs.ts';

const schema = `
  create extension vector with schema extensions;
  create table public.documents (
    id bigint primary key generated always as identity,
    owner_id uuid not null references auth.users on delete cascade default auth.uid(),
    content text,
    metadata jsonb,
    embedding vector(3)
  );
  alter table public.documents enable row level security;
  create policy "Users read and write their own documents" on public.documents to authenticated
    using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
  create index nearest on public.documents using hnsw (embedding vector_cosine_ops);
  create function public.match_documents (query_embedding vector(3), match_count int default null, filter jsonb default '{}')
  returns table (id bigint, content text, metadata jsonb, similarity float) language plpgsql
  set hnsw.iterative_scan = strict_order as $$
  #variable_conflict use_column
  begin
    return query
    select id, content, metadata, 1 - (documents.embedding <=> query_embedding) as similarity
    from documents where metadata @> filter
    order by documents.embedding <=> query_embedding limit match_count;
  end $$;
  create function public.near_documents (query_embedding vector(3), match_threshold float, match_count int)
  returns setof public.documents language sql as $$
    select * from documents where documents.embedding <=> query_embedding < 1 - match_threshold
    order by documents.embedding <=> query_embedding asc limit least(match_count, 200) $$;`;

describe.skipIf(await missingPack('vector'))('retrieval with row-level security', () => {
  let backend: Backend;
  let ada: SupabaseClient;
  let bob: SupabaseClient;
  let anon: SupabaseClient;

  const clientOf = () =>
    createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
  async function signUp(email: string): Promise<SupabaseClient> {
    const client = clientOf();
    const { error } = await client.auth.signUp({ email, password: 'correct horse 9' });
    expect(error).toBeNull();
    return client;
  }

  beforeAll(async () => {
    backend = await createTestBackend({ sql: schema });
    anon = clientOf();
    [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
    // Embeddings are written as arrays, as embedding functions return them, and as text.
    const first = await ada.from('documents').insert([
      { content: 'Ada: north', metadata: { kind: 'note', year: 2025 }, embedding: [1, 0, 0] },
      { content: 'Ada: north-east', metadata: { kind: 'note', year: 2026 }, embedding: '[1, 1, 0]' },
      { content: 'Ada: up', metadata: { kind: 'letter' }, embedding: [0, 0, 1] },
    ]);
    const second = await bob
      .from('documents')
      .insert([{ content: 'Bob: north', metadata: { kind: 'note' }, embedding: [1, 0, 0] }]);
    expect([first.error, second.error]).toEqual([null, null]);
  });
  afterAll(() => backend?.stop());

  const north = [1, 0, 0];
  const search = (client: SupabaseClient, args: object = {}) =>
    client.rpc('match_documents', { query_embedding: north, match_count: 10, ...args });

  test('finds the caller’s documents, nearest first', async () => {
    const { data, error } = await search(ada);
    expect(error).toBeNull();
    expect(data.map(({ content }: { content: string }) => content)).toEqual([
      'Ada: north',
      'Ada: north-east',
      'Ada: up',
    ]);
    expect(data[0]).toEqual({
      id: expect.any(Number),
      content: 'Ada: north',
      metadata: { kind: 'note', year: 2025 },
      similarity: 1,
    });
    expect(data[1].similarity).toBeCloseTo(Math.SQRT1_2, 6);
  });

  test('filters by metadata, in the function and in the query', async () => {
    const letters = await search(ada, { filter: { kind: 'letter' } }).select('content');
    expect(letters.data).toEqual([{ content: 'Ada: up' }]);
    const recent = await search(ada, { filter: { kind: 'note' } }).gte('metadata->year', 2026);
    expect(recent.data.map(({ content }: { content: string }) => content)).toEqual(['Ada: north-east']);
    const near = await ada
      .rpc('near_documents', {
        query_embedding: JSON.stringify(north),
        match_threshold: 0.5,
        match_count: 10,
      })
      .select('content, metadata->>kind')
      .eq('metadata->>kind', 'note');
    expect(near.data).toEqual([
      { content: 'Ada: north', kind: 'note' },
      { content: 'Ada: north-east', kind: 'note' },
    ]);
  });

  test.each(['match_documents', 'near_documents'])('%s doesn’t find other users’ documents', async (name) => {
    const args = { query_embedding: north, match_count: 10 };
    const rest = name === 'near_documents' ? { match_threshold: -2 } : {};
    const contents = async (client: SupabaseClient) => {
      const { data, error } = await client.rpc(name, { ...args, ...rest });
      expect(error).toBeNull();
      return data.map(({ content }: { content: string }) => content);
    };
    expect(await contents(bob)).toEqual(['Bob: north']);
    expect((await contents(ada)).every((content: string) => content.startsWith('Ada'))).toBe(true);
    expect(await contents(anon)).toEqual([]);
  });

  test('invalid embeddings are rejected, and writes reach only the caller’s documents', async () => {
    const { data, error } = await bob.rpc('near_documents', {
      query_embedding: [Number.MAX_VALUE, 0, 0],
      match_threshold: 0,
      match_count: 10,
    });
    expect([data, error?.code]).toEqual([null, '22003']);
    const wrong = await bob.rpc('match_documents', { query_embedding: [1, 2], match_count: 1 });
    expect(wrong.error?.message).toBe('different vector dimensions 3 and 2');
    const changed = await bob.from('documents').update({ embedding: north }).gt('id', 0).select('content');
    expect(changed.data).toEqual([{ content: 'Bob: north' }]);
    const equal = await bob.from('documents').select('content').eq('embedding', JSON.stringify(north));
    expect(equal.data).toEqual([{ content: 'Bob: north' }]);
    const stolen = await bob.from('documents').insert({
      content: 'For Ada',
      embedding: north,
      owner_id: (await ada.auth.getUser()).data.user?.id,
    });
    expect(stolen.error?.code).toBe('42501');
  });

  test('API workers search as well', async () => {
    const own = await createTestBackend({ sql: schema, workers: { count: 2 } });
    try {
      const client = createClient(own.url, own.keys.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
      await client.auth.signUp({ email: 'ada@example.com', password: 'correct horse 9' });
      expect(
        (await client.from('documents').insert({ content: 'a', metadata: {}, embedding: north })).error,
      ).toBeNull();
      const found = await Promise.all(Array.from({ length: 8 }, () => search(client).select('content')));
      expect(found.map(({ data }) => data)).toEqual(Array.from({ length: 8 }, () => [{ content: 'a' }]));
    } finally {
      await own.stop();
    }
  });

  test('a user with few documents among many finds them with the index', async () => {
    // The nearest documents belong to others, so an index scan that stops after 40 rows finds none of Bob's.
    await backend.database.pool('postgres').exec(`
      insert into public.documents (owner_id, content, metadata, embedding)
      select (select id from auth.users where email = 'ada@example.com'), 'Ada: ' || n, '{"kind": "many"}', array[1, 0.0001 * n, 0]::vector
      from generate_series(1, 500) n`);
    const claims = JSON.stringify({ sub: (await bob.auth.getUser()).data.user?.id, role: 'authenticated' });
    const settings = [
      ['request.jwt.claims', claims],
      ['search_path', 'public, extensions'],
    ] as const;
    const found = await backend.database.asRequest({ role: 'authenticated', settings }, async (tx) => {
      // The planner would prefer another plan for so few rows.
      await tx.exec('set local enable_seqscan = off; set local enable_sort = off');
      return await tx.query(sql`select content from match_documents('[1,0,0]', 10)`);
    });
    expect(found).toEqual([{ content: 'Bob: north' }]);
  });
});
