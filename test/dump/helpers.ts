/** Creates empty databases in the test cluster, and dumps in memory. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  type DumpOptions,
  dumpDatabase,
  restoreDump,
  streamOutput,
} from '../../src/operations/dump/index.ts';
import { clusterTarget } from '../../src/platform/database/embedded/sign-ins.ts';
import { startTestCluster } from '../../src/platform/database/testing.ts';
import { Client, type ConnectionOptions } from '../../src/platform/database/wire/index.ts';

export interface EmptyDatabase {
  readonly target: ConnectionOptions;
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  drop(): Promise<void>;
}

/** Creates a database without Plinth's schemas. The database's sessions have superuser privileges. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const { cluster, asAdmin } = await startTestCluster();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.exec(`create database ${name} template template0`));
  const target = clusterTarget(cluster, 'supabase_admin', name);
  return {
    target,
    async run(work) {
      const client = await Client.connect(target);
      try {
        return await work(client);
      } finally {
        await client.connection.close();
      }
    },
    async drop() {
      await dropSubscriptions(target);
      await asAdmin((admin) => admin.exec(`drop database ${name} with (force)`));
    },
  };
}

/** Drops the subscriptions, because a database with subscriptions can't be dropped. */
async function dropSubscriptions(target: ConnectionOptions): Promise<void> {
  const client = await Client.connect(target);
  const rows = await client.query<{ name: string }>(sql`
    select quote_ident(subname) as name from pg_subscription s join pg_database d on d.oid = subdbid
    where datname = current_database()`);
  for (const { name } of rows) {
    await client.exec(`alter subscription ${name} set (slot_name = none)`);
    await client.exec(`drop subscription ${name}`);
  }
  await client.connection.close();
}

export async function dumpText(
  target: ConnectionOptions,
  options: Partial<Omit<DumpOptions, 'target' | 'output'>> = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const output = streamOutput(stream);
  await dumpDatabase({ target, output, content: 'all', onProgress: () => {}, ...options });
  await output.finish();
  return Buffer.concat(chunks).toString('utf8');
}

/** Splits the text at arbitrary positions, as when a file is read. */
async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const restoreText = (
  target: ConnectionOptions,
  text: string,
  options: { keepGoing?: boolean; chunkBytes?: number; onSkip?: (message: string) => void } = {},
) =>
  restoreDump({
    target,
    chunks: chunksOf(text, options.chunkBytes ?? 1000),
    keepGoing: options.keepGoing ?? false,
    onSkip: options.onSkip ?? (() => {}),
    onProgress: () => {},
  });

const fixture = readFileSync(new URL('./fixtures/every-kind.sql', import.meta.url), 'utf8');

/** Returns the statements that create every kind of object that a major version supports. */
export const everyKind = (major: number): string =>
  fixture.replaceAll(/^-- Since (\d+)\.\n((?:.+\n)+)/gm, (_all, since: string, statements: string) =>
    major >= Number(since) ? statements : '',
  );

/**
 * Returns a dump without security labels. Tests don't load a provider for security labels, so a restore only reports
 * warnings about labels.
 */
export const withoutLabels = (text: string): string[] =>
  text.split('\n\n').filter((statement) => !statement.includes('SECURITY LABEL'));
