/** Tests the code in docs/vector-search.md: its migration, its function with a model, and its client code. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { missingPack } from '../support/packs.ts';
import { blocksOf, codeBlocks, readPage } from './pages.ts';

const page = readPage('vector-search');
const files = Object.fromEntries(
  codeBlocks(page).flatMap(({ path, code }) => (path === undefined ? [] : [[path, code]])),
);
const [table = '', search = '', build = ''] = blocksOf(page, 'sql');

interface ClientCode {
  addDocuments(supabase: SupabaseClient, texts: readonly string[], metadata?: object): Promise<void>;
  searchDocuments(
    supabase: SupabaseClient,
    question: string,
    filter?: object,
  ): Promise<{ id: number; content: string; similarity: number }[]>;
}

describe.skipIf(await missingPack('vector'))('docs/vector-search.md', () => {
  const requests: {
    body: { model: string; input: string[]; dimensions: number };
    key: string | undefined;
  }[] = [];
  const model = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    requests.push({ body: JSON.parse(text), key: request.headers.authorization });
    // The angle of the embedding depends on the number in the text.
    const embeddings = requests.at(-1)?.body.input.map((each) => {
      const angle = Number(/\d+/.exec(each)?.[0]) / 100;
      return { embedding: [Math.cos(angle), Math.sin(angle), ...new Array(382).fill(0)] };
    });
    response.end(JSON.stringify({ data: embeddings }));
  });
  const folder = mkdtempSync(join(tmpdir(), 'plinth-docs-'));
  let backend: Backend;
  let ada: SupabaseClient;
  let bob: SupabaseClient;
  let code: ClientCode;

  function writeProject(contents: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(contents)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    const [environment = ''] = blocksOf(page, 'sh');
    writeProject({
      'supabase/migrations/20260101000000_documents.sql': `${table}\n${search}`,
      ...files,
      'supabase/functions/.env': environment.replace('https://api.openai.com', `http://127.0.0.1:${port}`),
    });
    code = (await import(join(folder, 'src/documents.ts'))) as ClientCode;
    backend = await createTestBackend({ projectDir: folder });
    const signUp = async (email: string) => {
      const client = createClient(backend.url, backend.keys.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
      expect((await client.auth.signUp({ email, password: 'correct horse 9' })).error).toBeNull();
      return client;
    };
    [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
  });
  afterAll(async () => {
    await backend?.stop();
    await new Promise((resolve) => model.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  test('the page contains all files', () => {
    expect(Object.keys(files)).toEqual(['supabase/functions/embed/index.ts', 'src/documents.ts']);
    expect(blocksOf(page, 'sql')).toHaveLength(3);
  });

  test('users find their own texts, nearest first', async () => {
    await code.addDocuments(ada, ['Number 1', 'Number 40', 'Number 90'], { kind: 'note' });
    await code.addDocuments(ada, ['Number 3'], { kind: 'letter' });
    await code.addDocuments(bob, ['Number 2'], { kind: 'note' });
    const found = await code.searchDocuments(ada, 'What is 0?');
    expect(found.map(({ content }) => content)).toEqual(['Number 1', 'Number 3', 'Number 40', 'Number 90']);
    expect(found[0]?.similarity).toBeCloseTo(Math.cos(0.01), 6);
    expect((await code.searchDocuments(ada, '0', { kind: 'letter' })).map(({ content }) => content)).toEqual([
      'Number 3',
    ]);
    expect((await code.searchDocuments(bob, '0')).map(({ content }) => content)).toEqual(['Number 2']);
    expect(requests.at(-1)).toEqual({
      body: { model: 'text-embedding-3-small', input: ['0'], dimensions: 384 },
      key: 'Bearer sk-...',
    });
  });

  test('the index can be built as described', async () => {
    const postgres = backend.database.pool('postgres');
    await postgres.exec(build);
    const [index] = await postgres.query(
      sql`select indisvalid from pg_index where indexrelid = 'public.documents_nearest'::regclass`,
    );
    expect(index).toEqual({ indisvalid: true });
  });
});
