/**
 * Measures a migration between two servers on this machine. Covers the first run of the migration, a second run with
 * and without changes, and the comparison of the two servers. `node bench/migrate.ts [OBJECTS] [ROWS]`
 */
import { performance } from 'node:perf_hooks';
import type { Backend } from '../src/entry/main.ts';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import { type EndOptions, transfer, verify } from '../src/project/migrate/index.ts';

const objects = Number(process.argv[2] ?? 10_000);
const rows = Number(process.argv[3] ?? 500_000);

const [source, target] = await Promise.all([createTestBackend(), createTestBackend()]);
const run = (backend: Backend, text: string) => backend.database.pool('postgres').exec(text);

async function timed<T>(label: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${label}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

const endOf = (backend: Backend, name: string): EndOptions => ({
  name,
  databaseUrl: backend.database.info.projectUrl,
  storage: { projectUrl: backend.url, serviceKey: backend.keys.serviceRoleKey },
});
const ends = { source: endOf(source, 'the source'), target: endOf(target, 'the target') };
const move = () =>
  transfer({
    ...ends,
    startJobs: false,
    keepGoing: false,
    overwrite: false,
    parallel: 8,
    onProgress: () => {},
  });

async function upload(index: number): Promise<void> {
  const response = await fetch(
    `${source.url}/storage/v1/object/files/folder-${index % 100}/object-${index}.bin`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${source.keys.serviceRoleKey}`, 'x-upsert': 'true' },
      body: `object ${index} `.repeat(1 + (index % 1000)),
    },
  );
  if (!response.ok) throw new Error(await response.text());
}

try {
  await run(
    source,
    `create table public.events (id bigint generated always as identity primary key, at timestamptz default now(), body text);
     insert into public.events (body) select md5(n::text) || md5((n + 1)::text) from generate_series(1, ${rows}) n;
     insert into auth.users (id, email) select gen_random_uuid(), 'user' || n || '@example.com' from generate_series(1, 10000) n;
     insert into storage.buckets (id, name) values ('files', 'files')`,
  );
  await timed(`Created ${objects} objects`, async () => {
    const indexes = Array.from({ length: objects }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const index of indexes) await upload(index);
      }),
    );
  });
  const first = await timed(`First run, ${rows} rows, 10000 users, ${objects} objects`, move);
  console.log(`  complete: ${first.complete}, objects: ${first.objects?.added}`);
  await timed('Second run, no changes', move);
  await run(source, `update public.events set body = 'changed' where id % 1000 = 0`);
  for (let index = 0; index < objects / 100; index += 1) await upload(index);
  const third = await timed('Third run, 0.1% of the rows and 1% of the objects changed', move);
  console.log(
    `  rows: ${third.tables.map(({ changed }) => changed).reduce((a, b) => a + b)}, objects: ${third.objects?.changed}`,
  );
  const compared = await timed('Verify', () =>
    verify({ ...ends, objects: true, parallel: 8, onProgress: () => {} }),
  );
  console.log(`  differences: ${compared.differences.length}, objects: ${compared.objects}`);
  console.log(
    `Memory of this process, with both servers: ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB`,
  );
} finally {
  await Promise.all([source.stop(), target.stop()]);
  await stopTestCluster();
}
