/** Verifies backups. Restores a backup to a temporary folder, reads every table, and compares every object with its row. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import type { RecoveredCluster } from '../../platform/database/index.ts';
import { messageOf } from './base-runs.ts';
import { readChoice } from './catalog.ts';
import { isVersion } from './core/names.ts';
import type { Repository } from './repository.ts';
import { restore } from './restore/restore.ts';
import type { BodyStore, VerificationRecord, VerificationReport } from './types.ts';

interface VerificationOptions {
  readonly repository: Repository;
  /** The ID of a base backup. If undefined, the newest recoverable state is restored. */
  readonly toBackup: string | undefined;
  /** The folder that will contain the temporary folder. */
  readonly workDir: string;
  /** The value of `[database] reserved_space`. */
  readonly reservedBytes: number | undefined;
  /** Folders that the operator named, in which extensions are searched. */
  readonly extensionFolders: readonly string[];
  readonly openStore: (dataDir: string) => Promise<BodyStore & { close(): Promise<void> }>;
  readonly onProgress: (message: string) => void;
  readonly nowMs: number;
  /** Aborts the verification and removes the restored copy. */
  readonly signal?: AbortSignal | undefined;
}

interface Checked {
  tables: number;
  rows: number;
  readonly problems: string[];
  checkMs: number;
}

export async function verify(options: VerificationOptions): Promise<VerificationReport> {
  const { repository, workDir, openStore, onProgress, nowMs, signal } = options;
  const { choice: newest } = await readChoice(repository, {});
  const folder = await mkdtemp(join(workDir, 'plinth-verification-'));
  const dataDir = join(folder, 'data');
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const checked: Checked = { tables: 0, rows: 0, problems: [], checkMs: 0 };
  if (newest.hasGap) checked.problems.push(`WAL is missing after ${new Date(newest.newestMs).toISOString()}`);
  try {
    const restored = await restore({
      repository,
      dataDir,
      toBackup: options.toBackup,
      // Gaps are allowed because the report lists them as problems.
      allowGap: newest.hasGap,
      openStore: () => openStore(dataDir),
      storesBodies: true,
      promote: false,
      reservedBytes: options.reservedBytes,
      extensionFolders: options.extensionFolders,
      shownDir: workDir,
      onProgress,
      signal,
      async inspect(cluster, { damaged }) {
        onProgress('Reading every table and object');
        const startedMs = performance.now();
        await readTables(cluster, checked);
        const store = await openStore(dataDir);
        try {
          await compareObjects(cluster, store, { damaged: new Set(damaged), checked, signal });
        } finally {
          await store.close();
        }
        checked.checkMs = performance.now() - startedMs;
      },
    });
    return {
      backup: restored.backup,
      objects: restored.objects,
      objectBytes: restored.objectBytes,
      databaseMs: Math.round(restored.databaseMs),
      lastTransactionAt: restored.lastTransactionAt,
      newestAgeMs: Math.max(0, nowMs - newest.newestMs),
      ...checked,
      checkMs: Math.round(checked.checkMs),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readTables({ reader }: RecoveredCluster, checked: Checked): Promise<void> {
  const tables = await reader.query<{ schema: string; name: string }>(sql`
    select n.nspname::text as schema, c.relname::text as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and c.relpersistence <> 't'
      and (c.relkind = 'r' or c.relispopulated)
    order by 1, 2`);
  for (const { schema, name } of tables) {
    const table = `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
    try {
      // Reads every value, including values stored out of line (TOAST).
      checked.rows += await reader.copyOut(table);
      checked.tables += 1;
    } catch (error) {
      checked.problems.push(`${table} can't be read: ${(error as Error).message}`);
    }
  }
}

interface ObjectFacts {
  readonly bucket: string;
  readonly name: string;
  readonly version: string;
  readonly size: string | null;
  readonly etag: string | null;
}

interface Comparison {
  /** The versions whose stored bytes are damaged. */
  readonly damaged: ReadonlySet<string>;
  readonly checked: Checked;
  readonly signal: AbortSignal | undefined;
}

async function compareObjects(
  { reader }: RecoveredCluster,
  store: BodyStore,
  { damaged, checked, signal }: Comparison,
): Promise<void> {
  const rows: ObjectFacts[] = [];
  await reader.copyOut('storage.objects (bucket_id, name, version, metadata)', (row) => {
    const [bucket, name, version, metadata] = row;
    if (version == null || !isVersion(version)) return;
    rows.push({ bucket: bucket ?? '', name: name ?? '', version, ...metadataFacts(metadata ?? null) });
  });
  for (const row of rows) {
    signal?.throwIfAborted();
    const problem = damaged.has(row.version) ? 'the bytes are damaged' : await problemOf(row, store);
    if (problem !== undefined) checked.problems.push(`${row.bucket}/${row.name}: ${problem}`);
  }
}

function metadataFacts(json: string | null): Pick<ObjectFacts, 'size' | 'etag'> {
  const metadata: unknown = json === null ? null : JSON.parse(json);
  const field = (name: string): string | null => {
    const value = (metadata as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  return { size: field('size'), etag: field('eTag') };
}

async function problemOf(row: ObjectFacts, store: BodyStore): Promise<string | undefined> {
  const bytes = await store.read(row.version);
  if (bytes === undefined) return 'the bytes are missing';
  const hash = createHash('md5');
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  if (row.size !== null && Number(row.size) !== sizeBytes) return 'the size differs from the row';
  const etag = row.etag?.replaceAll('"', '') ?? '';
  // Compares only ETags that are MD5 hashes, because a multipart object's ETag isn't the MD5 hash of its bytes.
  if (/^[0-9a-f]{32}$/.test(etag) && etag !== hash.digest('hex')) return 'the hash differs from the row';
  return undefined;
}

interface VerificationsOptions {
  readonly dataDir: string;
  /** Restores and checks the newest recoverable state. `signal` aborts the verification. */
  readonly verify: (
    onProgress: (message: string) => void,
    signal: AbortSignal,
  ) => Promise<VerificationReport>;
  readonly log: Logger;
}

export interface Verifications {
  /** Starts a verification. Returns false if a verification is already running. */
  start(): boolean;
  /** Returns the current step of the running verification, or undefined if no verification is running. */
  progress(): string | undefined;
  last(): VerificationRecord | undefined;
  /** Aborts the running verification and removes the restored copy. */
  stop(): Promise<void>;
}

/** Runs verifications in the running server, and stores the result of this data folder's last verification. */
export function createVerifications({ dataDir, verify, log }: VerificationsOptions): Verifications {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let step = '';

  async function run(): Promise<void> {
    const onProgress = (message: string): void => {
      step = message;
    };
    try {
      const { problems } = await recordVerification(
        dataDir,
        () => verify(onProgress, stopping.signal),
        stopping.signal,
      );
      if (problems.length === 0) log.info({}, 'backup: the verification found no problems');
      else log.error({ problems }, 'backup: the verification found problems');
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ error: messageOf(error) }, 'backup: the verification failed');
    }
  }

  return {
    start() {
      if (running !== undefined) return false;
      step = 'Starting';
      running = run().finally(() => {
        running = undefined;
      });
      return true;
    },
    progress: () => (running === undefined ? undefined : step),
    last: () => readLastVerification(dataDir),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const fileOf = (dataDir: string): string => join(dataDir, 'backup', 'last-verification.json');

/** Runs a verification, and records the result or error as the last verification of the data folder. */
export async function recordVerification(
  dataDir: string,
  verify: () => Promise<VerificationReport>,
  signal: AbortSignal,
): Promise<VerificationReport> {
  const startedMs = Date.now();
  const write = (result: Pick<VerificationRecord, 'report' | 'error'>): void => {
    mkdirSync(join(dataDir, 'backup'), { recursive: true, mode: 0o700 });
    replaceFile(fileOf(dataDir), JSON.stringify({ startedMs, endedMs: Date.now(), ...result }));
  };
  try {
    const report = await verify();
    write({ report });
    return report;
  } catch (error) {
    if (!signal.aborted) write({ error: messageOf(error) });
    throw error;
  }
}

/** Returns the last verification's record. Returns undefined if no verification was recorded or the file can't be read. */
function readLastVerification(dataDir: string): VerificationRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as VerificationRecord;
  } catch {
    return undefined;
  }
}
