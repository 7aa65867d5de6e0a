/** Compares source and target after a migration without changing anything. */

import { sql } from '../../base/kernel/sql.ts';
import { planProject } from '../../operations/dump/index.ts';
import { objectPath } from './core/object-path.ts';
import { sharedTable } from './core/row-text.ts';
import { readJobs } from './cron.ts';
import { planDefinitions } from './definitions.ts';
import { openSource } from './ends.ts';
import { described } from './errors.ts';
import { createStorageApi, digestOf, type StorageApi } from './objects/storage-api.ts';
import { readPrimaryKeys, readTablesWith } from './queries.ts';
import { queueTables, readQueues } from './queues.ts';
import { summaryOf } from './rows.ts';
import { readHashes } from './sequences.ts';
import type { End, EndOptions } from './types.ts';
import { readSecrets } from './vault.ts';

export interface VerifyOptions {
  readonly source: EndOptions;
  readonly target: EndOptions;
  /** Whether to download and compare every object. If false, only the objects' rows are compared. */
  readonly objects: boolean;
  readonly parallel: number;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyReport {
  readonly tables: number;
  readonly rows: number;
  readonly objects: number;
  readonly objectBytes: number;
  /** One sentence for each difference between source and target. */
  readonly differences: readonly string[];
}

export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const { onProgress, signal } = options;
  // This check doesn't write anything, so the target can be opened like a source.
  const source = await openSource(options.source);
  const close = (): void => source.session.destroy();
  signal?.addEventListener('abort', close, { once: true });
  try {
    const target = await openSource(options.target);
    try {
      const differences: string[] = [];
      onProgress('Comparing definitions');
      const tables = await compareDefinitions(source, target, differences);
      const { count, rows } = await compareTables(source, target, { ...tables, differences }, options);
      await compareRest(source, target, differences);
      const bodies = options.objects
        ? await compareObjects(source, target, differences, options)
        : { objects: 0, objectBytes: 0 };
      return { tables: count, rows, ...bodies, differences };
    } finally {
      target.session.destroy();
    }
  } catch (error) {
    throw described(error);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

type Tables = Awaited<ReturnType<typeof compareDefinitions>>;

async function compareDefinitions(source: End, target: End, differences: string[]) {
  const [from, to] = [await planProject(source.session), await planProject(target.session)];
  const plan = planDefinitions(from, to, target.facts);
  const missing = new Set(plan.missing.map(({ subject }) => subject));
  differences.push(
    ...[...missing].map((subject) => `Missing or different on the target: ${subject}`),
    ...plan.different.map((subject) => `Different definition: ${subject}`),
    ...plan.extra.map((subject) => `Only on the target: ${subject}`),
    ...plan.unavailable.map((name) => `Missing extension: ${name}`),
  );
  return { from, to };
}

async function compareTables(
  source: End,
  target: End,
  { from, to, differences }: Tables & { readonly differences: string[] },
  { onProgress, signal }: VerifyOptions,
): Promise<{ count: number; rows: number }> {
  const keys = await readPrimaryKeys(source.session);
  const [readable, readableThere] = [
    await readTablesWith(source.session, ['select']),
    await readTablesWith(target.session, ['select']),
  ];
  const there = new Map(to.tables.map((table) => [table.table, table]));
  let count = 0;
  let rows = 0;
  for (const table of from.tables) {
    signal?.throwIfAborted();
    const other = there.get(table.table);
    if (other === undefined || !readable.has(table.table) || !readableThere.has(table.table)) continue;
    if (/^storage\.s3_multipart/.test(table.table)) continue;
    onProgress(`Comparing ${table.table}`);
    const shared = sharedTable(table, other, keys.get(table.table) ?? []);
    const columns =
      table.table === 'storage.objects'
        ? shared.columns.filter((column) => !['version', 'last_accessed_at'].includes(column))
        : shared.columns;
    const [here, copy] = [
      await summaryOf(source.session, { ...shared, columns }),
      await summaryOf(target.session, { ...shared, columns }),
    ];
    count += 1;
    rows += Number(here.rows);
    if (here.rows !== copy.rows)
      differences.push(`Table ${table.table}: ${here.rows} rows at the source, ${copy.rows} at the target`);
    else if (here.hash !== copy.hash) differences.push(`Table ${table.table}: rows differ`);
  }
  return { count, rows };
}

/** Compares secrets, cron jobs and large objects. The report never contains the secrets' values. */
async function compareRest(source: End, target: End, differences: string[]): Promise<void> {
  const compare = (kind: string, from: readonly string[], to: readonly string[]): void => {
    if ([...from].sort().join('\0') !== [...to].sort().join('\0'))
      differences.push(`${kind}: ${from.length} at the source, ${to.length} at the target, and they differ`);
  };
  const secretTexts = async (end: End): Promise<string[]> =>
    ((await readSecrets(end.session)) ?? []).map(({ name, description, value }) =>
      JSON.stringify([name, description, value]),
    );
  compare('Vault secrets', await secretTexts(source), await secretTexts(target));
  // A job that is paused only on the target doesn't count as a difference, because jobs stay paused until the cutover.
  const jobTexts = async (end: End): Promise<string[]> =>
    ((await readJobs(end.session)) ?? []).map(({ name, schedule, command }) =>
      JSON.stringify([name, schedule, command]),
    );
  compare('Cron jobs', await jobTexts(source), await jobTexts(target));
  const largeObjects = async (end: End): Promise<string[]> =>
    [...(await readHashes(end.session))].map((entry) => entry.join(' '));
  await compareQueues(source, target, differences);
  compare('Large objects', await largeObjects(source), await largeObjects(target));
}

async function compareQueues(source: End, target: End, differences: string[]): Promise<void> {
  const copied = new Set(((await readQueues(target.session)) ?? []).map(({ name }) => name));
  for (const { name, isPartitioned } of (await readQueues(source.session)) ?? []) {
    if (isPartitioned || !copied.has(name)) {
      differences.push(`Queue ${name}: missing on the target`);
      continue;
    }
    for (const table of await queueTables(source.session, target.session, name)) {
      const [here, there] = [await summaryOf(source.session, table), await summaryOf(target.session, table)];
      if (here.rows !== there.rows || here.hash !== there.hash)
        differences.push(`Queue ${name}: the rows of ${table.table} differ`);
    }
  }
}

interface Named {
  readonly bucket: string;
  readonly name: string;
}

const namesPerQuery = 1_000;

async function* objectNames({ session }: End): AsyncGenerator<Named> {
  for (let last: Named = { bucket: '', name: '' }; ; ) {
    const rows = await session.query<Named>(sql`
      select bucket_id as bucket, name from storage.objects
      where (bucket_id collate "C", name collate "C") > (${last.bucket}, ${last.name})
      order by bucket_id collate "C", name collate "C" limit ${namesPerQuery}::int`);
    yield* rows;
    if (rows.length < namesPerQuery) return;
    last = rows.at(-1) as Named;
  }
}

async function compareObjects(
  source: End,
  target: End,
  differences: string[],
  { onProgress, parallel, signal }: VerifyOptions,
): Promise<{ objects: number; objectBytes: number }> {
  if (source.storage === undefined || target.storage === undefined) return { objects: 0, objectBytes: 0 };
  const [from, to] = [
    createStorageApi(source.name, source.storage),
    createStorageApi(target.name, target.storage),
  ];
  let objects = 0;
  let objectBytes = 0;
  const names = objectNames(source);
  const digest = async (api: StorageApi, { bucket, name }: Named) => {
    const download = await api.download(bucket, name, signal);
    return download === undefined ? undefined : await digestOf(download.bytes);
  };
  const work = async (): Promise<void> => {
    for await (const named of { [Symbol.asyncIterator]: () => ({ next: () => names.next() }) }) {
      const label = `${named.bucket}/${named.name}`;
      if (objectPath(named.bucket, named.name) === undefined) {
        differences.push(`Object ${label}: its name can't be part of a URL`);
        continue;
      }
      const [here, copy] = await Promise.all([digest(from, named), digest(to, named)]);
      objects += 1;
      objectBytes += here?.sizeBytes ?? 0;
      if (here?.sha256 !== copy?.sha256) differences.push(`Object ${label}: the bodies differ`);
      if (objects % 500 === 0) onProgress(`Compared ${objects} objects`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return { objects, objectBytes };
}
