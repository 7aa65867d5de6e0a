/** Tests the extension `vector`, which is pgvector's own library from an extension pack. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Row, Session } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { missingPack } from '../support/packs.ts';

describe.skipIf(await missingPack('vector'))('vector', () => {
  let own: TestDatabase;
  let session: Session;
  beforeAll(async () => {
    own = await createTestDatabase('vector');
    session = await own.database.pool('postgres').connect();
    await session.exec(`create extension vector with schema extensions;
      create table items (id bigserial primary key, embedding vector(3));
      insert into items (embedding) values ('[1,2,3]'), ('[4, 5, 6]'), (array[1, 1, 1]), (null)`);
  });
  afterAll(async () => {
    session?.destroy();
    await own?.drop();
  });

  const rows = (text: string): Promise<Row[]> => session.query(sql.raw(text));
  const value = async (expression: string): Promise<unknown> =>
    (await rows(`select ${expression} as v`))[0]?.v;

  test.each([
    [`'[1,2,3]'::vector <-> '[3,1,2]'`, Math.sqrt(6)],
    [`'[1,2,3]'::vector <=> '[3,1,2]'`, 1 - 11 / 14],
    [`subvector('[1,2,3,4,5]'::vector, 2, 3)::text`, '[2,3,4]'],
    [`(array[1,2.5]::vector(2))::text`, '[1,2.5]'],
    [`(select avg(e)::text from (values ('[1,2]'::vector), ('[3,5]'), (null)) t (e))`, '[2,3.5]'],
    [`(select sum(e)::text from (values ('[1,2]'::vector), ('[3,5]')) t (e))`, '[4,7]'],
    [`'[1,2,3]'::halfvec <-> '[3,1,2]'`, Math.sqrt(6)],
    [`'{1:1}/1000000000'::sparsevec::text`, '{1:1}/1000000000'],
    [`'[0,1.5,0]'::vector::sparsevec::text`, '{2:1.5}/3'],
    [`B'1100' <~> B'1010'`, 2],
    [`encode(vector_send('[1,2]'), 'hex')`, '000200003f80000040000000'],
  ])('%s returns %s', async (expression, expected) => {
    const found = await value(expression);
    if (typeof expected === 'number') expect(found).toBeCloseTo(expected, 6);
    else expect(found).toEqual(expected);
  });

  test('a literal that is neither converted nor stored is checked', async () => {
    await expect(rows(`select '[1,x]'::vector`)).rejects.toThrow('invalid input syntax for type vector');
    await expect(rows(`insert into items (embedding) values ('[1,2]')`)).rejects.toThrow(
      'expected 3 dimensions, not 2',
    );
  });

  test('a function can set parameters in a session that hasn’t used the extension yet', async () => {
    const fresh = await own.database.pool('postgres').connect();
    try {
      await fresh.exec(`create function scanned() returns text language sql
          set hnsw.iterative_scan = strict_order set ivfflat.probes = 3 set pg_trgm.similarity_threshold = 0.5
          return current_setting('hnsw.iterative_scan');
        alter role postgres in database "${own.name}" set hnsw.ef_search = 60`);
      expect(await fresh.query(sql`select scanned() as v`)).toEqual([{ v: 'strict_order' }]);
    } finally {
      fresh.destroy();
    }
  });

  test('a function from the guides works', async () => {
    await session.exec(`create function match_items(query_embedding vector(3), match_threshold float, match_count int)
      returns table (id bigint, similarity float) language sql stable as $$
        select id, 1 - (embedding <=> query_embedding) from items
        where 1 - (embedding <=> query_embedding) > match_threshold
        order by embedding <=> query_embedding limit match_count $$`);
    expect(await rows(`select id from match_items('[1,2,3]', 0.5, 2)`)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test.each([
    ['hnsw (embedding vector_l2_ops) with (m = 8, ef_construction = 32)', 'hnsw'],
    ['ivfflat (embedding vector_l2_ops) with (lists = 2)', 'ivfflat'],
  ])('a search uses the index %s', async (definition) => {
    await session.exec(`create index made on items using ${definition};
      set enable_seqscan = off; set hnsw.ef_search = 100; set hnsw.iterative_scan = relaxed_order; set ivfflat.probes = 2`);
    const search = `select id from items order by embedding <-> '[3,1,2]' limit 1`;
    const plan = await rows(`explain ${search}`);
    expect(JSON.stringify(plan)).toContain('Index Scan using made');
    expect(await rows(search)).toEqual([{ id: 3 }]);
    await session.exec('drop index made; reset all');
  });

  test('the index types and operator classes of other types can be used', async () => {
    await session.exec(`create table typed (h halfvec(3), s sparsevec(3), b bit(3));
      create index on typed using hnsw (h halfvec_cosine_ops);
      create index on typed using hnsw (s sparsevec_l2_ops);
      create index on typed using hnsw (b bit_jaccard_ops);
      create index on typed using ivfflat (b bit_hamming_ops) with (lists = 1);
      drop table typed`);
  });

  test('the extension can be dropped and created again, also in the version of the hosted service', async () => {
    await session.exec('drop extension vector cascade; create extension vector; drop extension vector');
    await session.exec(`create extension vector version '0.8.0'`);
    expect(await value(`'[1]'::vector::text`)).toBe('[1]');
  });
});
