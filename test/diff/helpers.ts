/**
 * Creates databases for comparisons in the test cluster. The objects in these databases belong to a role that no
 * service uses.
 */
import { randomBytes } from 'node:crypto';
import { clusterTarget } from '../../src/platform/database/embedded/sign-ins.ts';
import { startTestCluster } from '../../src/platform/database/testing.ts';
import { Client, type ConnectionOptions } from '../../src/platform/database/wire/index.ts';
import {
  compareSnapshots,
  readSnapshot,
  type SchemaDiff,
  type Snapshot,
} from '../../src/project/diff/index.ts';
import { readFingerprint } from '../dump/fingerprint.ts';

export interface ComparedDatabase {
  readonly name: string;
  readonly target: ConnectionOptions;
  /** Runs a function with a client that is signed in as the owner of the objects. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Runs a function that changes nothing. */
  read<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Returns the schema. Reads it only if `run` was called since the last time. */
  snapshot(): Promise<Snapshot>;
  drop(): Promise<void>;
}

export const owner = 'diff_test_owner';

export async function createOwner(): Promise<void> {
  const { asAdmin } = await startTestCluster();
  await asAdmin((admin) => admin.exec(`create role ${owner} superuser`));
}

export async function dropOwner(): Promise<void> {
  const { asAdmin } = await startTestCluster();
  await asAdmin((admin) => admin.exec(`drop role ${owner}`));
}

export async function createDatabase(template = 'template0'): Promise<ComparedDatabase> {
  const { cluster, asAdmin } = await startTestCluster();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) =>
    admin.exec(`create database ${name} template ${template} owner ${owner} strategy file_copy`),
  );
  const target = clusterTarget(cluster, 'supabase_admin', name);
  const withClient = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = await Client.connect(target);
    try {
      await client.exec(`set role ${owner}`);
      return await work(client);
    } finally {
      await client.connection.close();
    }
  };
  let snapshot: Promise<Snapshot> | undefined;
  return {
    name,
    target,
    run(work) {
      snapshot = undefined;
      return withClient(work);
    },
    read: withClient,
    snapshot: () => {
      snapshot ??= readSnapshot(target);
      return snapshot;
    },
    drop: () => asAdmin((admin) => admin.exec(`drop database ${name} with (force)`)),
  };
}

export async function diffOf(from: ComparedDatabase, to: ComparedDatabase): Promise<SchemaDiff> {
  return compareSnapshots(await from.snapshot(), await to.snapshot(), { role: owner });
}

/** Runs the statements as a migration would. */
export async function apply(database: ComparedDatabase, { statements }: SchemaDiff): Promise<void> {
  await database.run(async (client) => {
    await client.exec('begin');
    for (const { text, needsCommit } of statements) {
      if (needsCommit) await client.exec('commit; begin');
      try {
        await client.exec(text);
      } catch (error) {
        throw new Error(`${(error as Error).message} in: ${text}`, { cause: error });
      }
    }
    await client.exec('commit');
  });
}

/**
 * Returns the catalogs without rows and sequence values. Options, tags, roles and privileges are sorted, because their
 * order has no meaning.
 */
export async function catalogs(
  database: ComparedDatabase,
  { positions = true }: { readonly positions?: boolean } = {},
): Promise<Record<string, string[]>> {
  const { rows: _rows, sequences: _sequences, ...kinds } = await database.read(readFingerprint);
  const text = (key: string, value: unknown): unknown => {
    if (key === 'position' && !positions) return undefined;
    if ((key === 'attacl' || key === 'roles') && typeof value === 'string')
      return value.slice(1, -1).split(',').toSorted();
    return (key === 'reloptions' || key === 'evttags') && Array.isArray(value) ? value.toSorted() : value;
  };
  const indexes = new Set((kinds.indexes as { name: string }[]).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, rows]) => [
      kind,
      rows
        .filter((row) => isCompared(row, indexes))
        .map((row) => JSON.stringify(row, text))
        .toSorted(),
    ]),
  );
}

/**
 * Whether a row of the catalogs is compared. After a column is renamed, its NOT NULL constraint and the columns of its
 * indexes keep the old name.
 */
const isCompared = (row: object, indexes: ReadonlySet<string>): boolean =>
  !('contype' in row && row.contype === 'n') &&
  !('attname' in row && 'relation' in row && indexes.has(String(row.relation)));
