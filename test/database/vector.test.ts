/** Tests the `vector` extension: pgvector's types and operators, with exact searches that don't use an index. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Row, Session } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let own: TestDatabase;
let session: Session;
const notices: string[] = [];
beforeAll(async () => {
  own = await createTestDatabase('vector');
  session = await own.database.pool('postgres').connect();
  session.onNotice(({ message }) => notices.push(message));
  await session.exec(`create extension vector with schema extensions;
    create table items (id bigserial primary key, embedding vector(3));
    insert into items (embedding) values ('[1,2,3]'), ('[4, 5, 6]'), (array[1, 1, 1]), (null)`);
});
afterAll(async () => {
  session?.destroy();
  await own?.drop();
});

const rows = (text: string): Promise<Row[]> => session.query(sql.raw(text));
const value = async (expression: string): Promise<unknown> => (await rows(`select ${expression} as v`))[0]?.v;

test.each([
  [`'[1,2,3]'::vector <-> '[3,1,2]'`, Math.sqrt(6)],
  [`'[1,2,3]'::vector <#> '[3,1,2]'`, -11],
  [`'[1,2,3]'::vector <=> '[3,1,2]'`, 1 - 11 / 14],
  [`'[1,2,3]'::vector <+> '[3,1,2]'`, 4],
  [`'[0,0]'::vector <=> '[1,1]'`, 'NaN'],
  [`l2_distance('[0,0]'::vector, '[3,4]')`, 5],
  [`inner_product('[1,2]'::vector, '[3,4]')`, 11],
  [`cosine_distance('[1,1]'::vector, '[1,1]')`, 0],
  [`l1_distance('[0,0]'::vector, '[3,-4]')`, 7],
  [`vector_dims('[1,2,3]'::vector)`, 3],
  [`vector_norm('[3,4]'::vector)`, 5],
  [`l2_normalize('[3,4]'::vector)::text`, '[0.6,0.8]'],
  [`subvector('[1,2,3,4,5]'::vector, 2, 3)::text`, '[2,3,4]'],
  [`binary_quantize('[1,-1,0.5]'::vector)::text`, '101'],
  [`('[1,2]'::vector + '[3,4]')::text`, '[4,6]'],
  [`('[1,2]'::vector - '[3,4]')::text`, '[-2,-2]'],
  [`('[1,2]'::vector * '[3,4]')::text`, '[3,8]'],
  [`('[1,2]'::vector || '[3]')::text`, '[1,2,3]'],
  [`'[1,2]'::vector = '[1.0, 2]'`, true],
  [`'[1,2]'::vector < '[1,3]'`, true],
  [`(array[1,2.5]::vector(2))::text`, '[1,2.5]'],
  [`'[1e-7, 2]'::vector(2)::text`, '[1e-07,2]'],
  [`'[1,2]'::vector::real[]::text`, '{1,2}'],
  [`(select avg(e)::text from (values ('[1,2]'::vector), ('[3,5]'), (null)) t (e))`, '[2,3.5]'],
  [`(select sum(e)::text from (values ('[1,2]'::vector), ('[3,5]')) t (e))`, '[4,7]'],
  [`(select count(distinct e) from (values ('[1,2]'::vector), ('[1.0,2]'), ('[2,2]')) t (e))`, 2],
  [`vector_spherical_distance('[1,0]'::vector, '[0,1]')`, 0.5],
  [`subvector('[1,2,3]'::vector, -1, 3)::text`, '[1]'],
  [`vector_avg('{2,2,4,6}')::text`, '[1,2,3]'],
  [`'[1.23456,65519]'::halfvec(2)::text`, '[1.234375,65504]'],
  [`(array[0.1, 1e-8, 2049]::halfvec)::text`, '[0.099975586,0,2048]'],
  [`'[1,2,3]'::halfvec <-> '[3,1,2]'`, Math.sqrt(6)],
  [`'[1,2,3]'::halfvec <#> '[3,1,2]'`, -11],
  [`'[1,2,3]'::halfvec <=> '[3,1,2]'`, 1 - 11 / 14],
  [`'[1,2,3]'::halfvec <+> '[3,1,2]'`, 4],
  [`'[1.1]'::halfvec = '[1.1]'::halfvec(1)`, true],
  [`l2_norm('[3,4]'::halfvec)`, 5],
  [`l2_normalize('[3,4]'::halfvec)::text`, '[0.60009766,0.7998047]'],
  [`('[1,2]'::halfvec + '[3,4]')::text`, '[4,6]'],
  [`('[1,2]'::halfvec || '[3]')::text`, '[1,2,3]'],
  [`'[1,2]'::vector::halfvec::real[]::text`, '{1,2}'],
  [`(select avg(e)::text from (values ('[1,2]'::halfvec), ('[3,5]'), (null)) t (e))`, '[2,3.5]'],
  [`(select avg(e)::text from (values ('[1,2]'::halfvec)) t (e) where false)`, null],
  [`'{5:3.5, 2 : 1.50,3:0}/5'::sparsevec(5)::text`, '{2:1.5,5:3.5}/5'],
  [`'[0,1.5,0]'::vector::sparsevec::text`, '{2:1.5}/3'],
  [`'{2:1.5}/3'::sparsevec::halfvec::text`, '[0,1.5,0]'],
  [`array[1,0,2]::sparsevec::text`, '{1:1,3:2}/3'],
  [`'{1:1,2:2,3:3}/3'::sparsevec <-> '{1:3,2:1,3:2}/3'`, Math.sqrt(6)],
  [`'{1:1,2:2}/1000000'::sparsevec <#> '{2:3,999999:4}/1000000'`, -6],
  [`'{1:1}/2'::sparsevec <=> '{2:1}/2'`, 1],
  [`'{1:1}/2'::sparsevec <+> '{}/2'`, 1],
  [`'{}/2'::sparsevec <=> '{}/2'`, 'NaN'],
  [`'{}/2'::sparsevec < '{2:1}/2'`, true],
  [`'{}/2'::sparsevec > '{2:-1}/3'`, true],
  [`'{2:1,1:0}/2'::sparsevec = '{2:1.0}/2'`, true],
  [`l2_norm('{1:3,9:4}/9'::sparsevec)`, 5],
  [`l2_normalize('{1:3,9:4}/9'::sparsevec)::text`, '{1:0.6,9:0.8}/9'],
  [`(select count(distinct e) from (values ('{1:1}/2'::sparsevec), ('{1:1.0}/2'), ('{2:1}/2')) t (e))`, 2],
  [`B'1100' <~> B'1010'`, 2],
  [`B'1111' <%> B'1110'`, 0.25],
  [`jaccard_distance(B'00', B'00')`, 1],
])('%s returns %s', async (expression, expected) => {
  const found = await value(expression);
  if (typeof expected === 'number') expect(found).toBeCloseTo(expected, 6);
  else if (expected === 'NaN') expect(`${found}`).toBe('NaN');
  else expect(found).toEqual(expected);
});

test.each([
  [`'[1,2]'::vector(3)`, 'expected 3 dimensions, not 2'],
  [`array[1,2]::vector(3)`, 'expected 3 dimensions, not 2'],
  [`'[1,2]'::vector <-> '[1,2,3]'`, 'different vector dimensions 2 and 3'],
  [`'[]'::vector(1)`, 'vector must have at least 1 dimension'],
  [`'[1,null]'::vector(2)`, 'invalid input syntax for type vector: "[1,null]"'],
  [`'{"a":1}'::vector(1)`, 'invalid input syntax for type vector'],
  [`'[[1,2]]'::vector(2)`, 'invalid input syntax for type vector'],
  [`'hello'::vector`, 'invalid input syntax'],
  [`'[1,2'::vector`, 'invalid input syntax'],
  [`array['NaN'::real]::vector`, 'NaN not allowed in vector'],
  [`array['Infinity'::real]::vector`, 'infinite value not allowed in vector'],
  [`array[null::real]::vector`, 'must not contain nulls'],
  [`array[[1,2],[3,4]]::vector`, 'array must be 1-D'],
  [`'{}'::real[]::vector`, 'at least 1 dimension'],
  [`'[65520]'::halfvec(1)`, '"65520" is out of range for type halfvec'],
  [`'[65504]'::halfvec + '[65504]'`, 'value out of range: overflow'],
  [`'[1e-7]'::halfvec * '[1e-7]'`, 'value out of range: underflow'],
  [`'[1,2]'::halfvec <-> '[1]'`, 'different halfvec dimensions 2 and 1'],
  [`'{1:1,1:2}/2'::sparsevec(2)`, 'sparsevec indices must not contain duplicates'],
  [`'{3:1}/2'::sparsevec(2)`, 'sparsevec index out of bounds'],
  [`'{}/0'::sparsevec(1)`, 'sparsevec must have at least 1 dimension'],
  [`'{1:a}/2'::sparsevec(2)`, 'invalid input syntax for type sparsevec: "{1:a}/2"'],
  [`'{1:1}/2'::sparsevec(3)`, 'expected 3 dimensions, not 2'],
  [`'{1:1}/2'::sparsevec <-> '{1:1}/3'`, 'different sparsevec dimensions 2 and 3'],
  [`B'11' <~> B'111'`, 'different bit lengths 2 and 3'],
])('%s fails with the error: %s', async (expression, message) => {
  await expect(rows(`select ${expression}`)).rejects.toThrow(message);
});

test('a column accepts only vectors with its number of dimensions', async () => {
  await expect(rows(`insert into items (embedding) values ('[1,2]')`)).rejects.toThrow(
    'expected 3 dimensions, not 2',
  );
  expect(await rows('select embedding::text from items where embedding is not null order by id')).toEqual([
    { embedding: '[1,2,3]' },
    { embedding: '[4,5,6]' },
    { embedding: '[1,1,1]' },
  ]);
  expect(
    await value(
      `(select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'items'::regclass and attname = 'embedding')`,
    ),
  ).toBe('vector(3)');
});

test('a nearest-neighbor query, a distance limit and a function from the guides work', async () => {
  expect(await rows(`select id from items order by embedding <-> '[3,1,2]' limit 2`)).toEqual([
    { id: 3 },
    { id: 1 },
  ]);
  expect(await rows(`select id from items where embedding <-> '[1,1,1]' < 0.5`)).toEqual([{ id: 3 }]);
  await session.exec(`create function match_items(query_embedding vector(3), match_threshold float, match_count int)
    returns table (id bigint, similarity float) language sql stable as $$
      select id, 1 - (embedding <=> query_embedding) from items
      where 1 - (embedding <=> query_embedding) > match_threshold
      order by embedding <=> query_embedding limit match_count $$`);
  expect(await rows(`select id from match_items('[1,2,3]', 0.5, 2)`)).toEqual([{ id: 1 }, { id: 2 }]);
});

describe('indexes', () => {
  test.each([
    'hnsw (embedding vector_l2_ops)',
    'hnsw (embedding vector_cosine_ops)',
    'hnsw (embedding vector_ip_ops)',
    'hnsw (embedding vector_l1_ops)',
    'ivfflat (embedding)',
    'ivfflat (embedding vector_cosine_ops)',
  ])('%s can be created, with a notice that it doesn’t speed up queries', async (definition) => {
    notices.length = 0;
    await session.exec(`create index made on items using ${definition}`);
    expect(notices.join()).toMatch(/index made speeds nothing up: searches for vectors are exact/);
    expect(await rows(`select id from items order by embedding <-> '[3,1,2]' limit 1`)).toEqual([{ id: 3 }]);
    await session.exec(`set hnsw.ef_search = 100; set ivfflat.probes = 10; drop index made`);
  });

  test.each([
    ['halfvec', 'hnsw', ['l2', 'ip', 'cosine', 'l1']],
    ['halfvec', 'ivfflat', ['l2', 'ip', 'cosine']],
    ['sparsevec', 'hnsw', ['l2', 'ip', 'cosine', 'l1']],
    ['bit', 'hnsw', ['hamming', 'jaccard']],
    ['bit', 'ivfflat', ['hamming']],
  ])('%s has the operator classes for %s', async (type, method, distances) => {
    await session.exec(`create table typed (value ${type}(3))`);
    for (const distance of distances)
      await session.exec(`create index on typed using ${method} (value ${type}_${distance}_ops)`);
    await session.exec(`create index on items using hnsw ((embedding::halfvec(3)) halfvec_l2_ops);
      drop table typed`);
  });

  test('of other types don’t cause a notice, and are used for equality', async () => {
    notices.length = 0;
    await session.exec('create index made on items using btree (embedding)');
    expect(notices).toEqual([]);
    await session.exec('drop index made');
  });
});

test('the extension can be dropped and created again', async () => {
  await session.exec('drop extension vector cascade; create extension vector; drop extension vector');
});
