/** Compares both versions of the list endpoint, page by page, with a simple sort. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { isoTimestamp } from '../../src/services/storage/core/timestamps.ts';
import { type StorageServer, startStorage } from './server.ts';

let server: StorageServer;

const keys = [
  'a',
  'a.txt',
  'a/1',
  'a/2/deep',
  'a/2/deeper',
  'a0',
  'B/x',
  'b/y',
  'a///b',
  'c%d',
  'c_d',
  'cxd',
  'z\'"'.replace('"', ''),
  'Zeta',
  'über'.replace('ü', 'ue'),
  'folder/.emptyFolderPlaceholder',
  'a!/b',
];

beforeAll(async () => {
  server = await startStorage();
  await server.database.pool('supabase_storage_admin').query(sql`
    insert into storage.objects (bucket_id, name, version, created_at, updated_at)
    select 'private', key, gen_random_uuid()::text, '2026-01-01'::timestamptz + number * interval '0.3 milliseconds',
      '2026-02-01'::timestamptz - number * interval '1 second'
    from unnest(${keys}::text[]) with ordinality as k (key, number)`);
});
afterAll(() => server.stop());

/**
 * Returns the expected lines of a folder. Keys of files in the folder are listed in full. Deeper keys are listed as the
 * next folder in their path.
 */
function linesBelow(prefix: string): string[] {
  const lines = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const slash = key.indexOf('/', prefix.length);
      return slash < 0 ? key : key.slice(0, slash + 1);
    });
  return [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe('list v2', () => {
  const pages = async (options: Record<string, unknown>, limit: number) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, error } = await server
        .client()
        .from('private')
        .listV2({ ...options, limit, cursor });
      if (error) throw error;
      const lines = [...data.folders, ...data.objects].map((line) => line.name as string);
      expect(lines.length).toBeLessThanOrEqual(limit);
      const order = (options.sortBy as { order?: string } | undefined)?.order;
      if (
        !('column' in ((options.sortBy as object | undefined) ?? {})) ||
        (options.sortBy as { column?: string }).column === 'name'
      ) {
        lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) * (order === 'desc' ? -1 : 1));
      }
      seen.push(...lines);
      cursor = data.hasNext ? data.nextCursor : undefined;
    } while (cursor !== undefined);
    return seen;
  };

  test.each([1, 2, 3, 100])('returns every line once, %d at a time', async (limit) => {
    for (const prefix of ['', 'a', 'a/', 'a//', 'c_', 'none']) {
      const ascending = linesBelow(prefix);
      expect(await pages({ prefix, with_delimiter: true }, limit)).toEqual(ascending);
      const descending = { prefix, with_delimiter: true, sortBy: { column: 'name', order: 'desc' } };
      expect(await pages(descending, limit)).toEqual(ascending.toReversed());
    }
    const all = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await pages({}, limit)).toEqual(all);
  });

  test.each([1, 2, 5])('sorts by date, %d at a time', async (limit) => {
    for (const order of ['asc', 'desc']) {
      for (const column of ['created_at', 'updated_at']) {
        const flat = await pages({ sortBy: { column, order } }, limit);
        expect(flat.toSorted()).toEqual(keys.toSorted());
        const folders = await pages({ sortBy: { column, order }, with_delimiter: true }, limit);
        expect(folders.toSorted()).toEqual(linesBelow('').toSorted());
      }
    }
    expect((await pages({ sortBy: { column: 'updated_at', order: 'asc' } }, limit))[0]).toBe(keys.at(-1));
  });

  test('rejects an invalid cursor', async () => {
    const { error } = await server.client().from('private').listV2({ cursor: 'bm9uc2Vuc2U=' });
    expect(error).toMatchObject({ status: 400, message: 'Invalid Parameter continuation token' });
  });
});

describe('list v1', () => {
  const names = async (prefix: string, options = {}) => {
    const { data, error } = await server.client().from('private').list(prefix, options);
    if (error) throw error;
    return data.map((line) => line.name);
  };

  test('is relative to the folder and ignores case', async () => {
    expect(await names('a')).toEqual(['', '1', '2']);
    expect(await names('A/2')).toEqual(['deep', 'deeper']);
    expect(await names('', { search: 'ZE' })).toEqual(['Zeta']);
    expect(await names('', { sortBy: { column: 'name', order: 'desc' }, limit: 2 })).toEqual(['Zeta', "z'"]);
  });

  test('treats wildcards as plain characters', async () => {
    expect(await names('', { search: 'c_' })).toEqual(['c_d']);
    expect(await names('', { search: 'c%' })).toEqual(['c%d']);
    const byDate = { column: 'created_at', order: 'asc' };
    expect(await names('', { search: 'c_', sortBy: byDate })).toEqual(['c_d']);
    expect(await names('', { search: '\\' })).toEqual([]);
  });

  test('continues at an offset', async () => {
    const all = await names('');
    const seen: string[] = [];
    for (let offset = 0; offset < all.length; offset += 3)
      seen.push(...(await names('', { limit: 3, offset })));
    expect(seen).toEqual(all);
  });

  test('is empty for a missing bucket', async () => {
    expect((await server.client().from('none').list()).data).toEqual([]);
  });
});

test('unusual rows are formatted exactly as JSON.stringify does', async () => {
  const pool = server.database.pool('supabase_storage_admin');
  const odd = [
    'quote"s',
    'back\\slash',
    'tab\tand\nline',
    'bell\u0007 and delete\u007f',
    'separators\u2028\u2029',
    'ünïcödé 漢字 \u{1f600}',
    "it's <b>&amp;",
    ' blank ',
  ];
  await pool.query(sql`insert into storage.buckets (id, name) values ('odd', 'odd')`);
  await pool.query(sql`
    insert into storage.objects (bucket_id, name, version, metadata, created_at, updated_at, last_accessed_at)
    select 'odd', name, '', case when n % 3 = 0 then null else jsonb_build_object('eTag', '"' || name || '"', 'n', n, 'deep', array[1.50, null]) end,
      case n % 4 when 0 then null when 1 then '12026-01-02 03:04:05.6+00'::timestamptz else now() end,
      case n % 4 when 1 then 'infinity'::timestamptz else '2026-01-02 03:04:05'::timestamptz end,
      case n % 2 when 0 then null else '2026-01-02 03:04:05.0009+02'::timestamptz end
    from unnest(${odd}::text[]) with ordinality as k (name, n)`);
  const rows = await pool.query<Record<string, string | null>>(sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata::text as metadata
    from storage.objects where bucket_id = 'odd'`);
  const shown = (row: Record<string, string | null>, name: string): string => {
    const { id = null, updated_at = null, created_at = null, last_accessed_at = null, metadata } = row;
    const line = {
      name,
      id,
      updated_at: isoTimestamp(updated_at),
      created_at: isoTimestamp(created_at),
      last_accessed_at: isoTimestamp(last_accessed_at),
    };
    return `${JSON.stringify(line).slice(0, -1)},"metadata":${metadata ?? 'null'}}`;
  };
  const sorted = (order: (name: string) => string) =>
    rows.toSorted((a, b) =>
      Buffer.compare(Buffer.from(order(a.name ?? '')), Buffer.from(order(b.name ?? ''))),
    );
  const ask = async (path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await server.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    return text;
  };

  const lines = sorted((name) => name.toLowerCase()).map((row) => shown(row, row.name ?? ''));
  expect(await ask('/object/list/odd', { prefix: '' })).toBe(`[${lines.join()}]`);
  const objects = sorted((name) => name).map((row) => shown(row, row.name ?? ''));
  expect(await ask('/object/list-v2/odd', {})).toBe(
    `{"hasNext":false,"folders":[],"objects":[${objects.join()}]}`,
  );
  const keyed = sorted((name) => name).map(
    (row) => `{"key":${JSON.stringify(row.name)},${shown(row, row.name ?? '').slice(1)}`,
  );
  expect(await ask('/object/list-v2/odd', { with_delimiter: true })).toBe(
    `{"hasNext":false,"folders":[],"objects":[${keyed.join()}]}`,
  );
});
