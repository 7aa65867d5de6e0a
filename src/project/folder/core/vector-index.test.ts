import { expect, test } from 'vitest';
import { splitStatements } from './split.ts';
import { withoutVectorIndexOptions } from './vector-index.ts';

const shown = (text: string): string => {
  const [statement] = splitStatements(text);
  const result = withoutVectorIndexOptions(statement?.text ?? '', statement?.words ?? []);
  expect(result).toHaveLength((statement?.text ?? '').length);
  return result.replace(/\s+/g, ' ').trim();
};

test.each([
  [
    'create index on items using ivfflat (e vector_l2_ops) with (lists = 100)',
    'create index on items using ivfflat (e vector_l2_ops)',
  ],
  [
    'CREATE INDEX CONCURRENTLY i ON items USING HNSW (e vector_cosine_ops) WITH (m = 16, ef_construction = 64) WHERE id > 1',
    'CREATE INDEX CONCURRENTLY i ON items USING HNSW (e vector_cosine_ops) WHERE id > 1',
  ],
  [
    'create index on items using hnsw (e vector_l2_ops)',
    'create index on items using hnsw (e vector_l2_ops)',
  ],
  [
    `CREATE INDEX "i" ON "public"."t" USING "ivfflat" ("e" "public"."vector_cosine_ops") WITH ("lists"='100')`,
    'CREATE INDEX "i" ON "public"."t" USING "ivfflat" ("e" "public"."vector_cosine_ops")',
  ],
  [
    'do $$ begin create index on items using hnsw (e vector_l2_ops) with (m = 16); end $$',
    'do $$ begin create index on items using hnsw (e vector_l2_ops) ; end $$',
  ],
  [
    "do $$ begin execute format('create index on items using HNSW ((e::vector(3)) vector_l2_ops) WITH (m = %s)', 16); end $$",
    "do $$ begin execute format('create index on items using HNSW ((e::vector(3)) vector_l2_ops) ', 16); end $$",
  ],
  [
    'do $$ begin create index on t using btree (a) with (fillfactor = 70); end $$',
    'do $$ begin create index on t using btree (a) with (fillfactor = 70); end $$',
  ],
  [
    'create index on t using gin (a) with (fastupdate = off)',
    'create index on t using gin (a) with (fastupdate = off)',
  ],
  [
    "create index on t using btree ((a || 'using hnsw')) with (fillfactor = 70)",
    "create index on t using btree ((a || 'using hnsw')) with (fillfactor = 70)",
  ],
  ["select 'create index using hnsw (a) with (m = 1)'", "select 'create index using hnsw (a) with (m = 1)'"],
])('%s', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
