/**
 * Tests that archiving recovers when it is interrupted during a base backup or when the clock changes. Also tests the
 * replication slot after archiving has been turned off.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createBackups, openJournal } from '../../src/operations/backup/index.ts';
import type { JournalFiles } from '../../src/operations/backup/journal.ts';
import { backupSlot, dropUnusedBackupSlot } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-interruption-'));
const [dataDir, projectDir] = [join(dir, 'data'), join(dir, 'project')];
let db: TestDatabase;

beforeAll(async () => {
  for (const folder of [dataDir, projectDir]) mkdirSync(folder);
  db = await createTestDatabase('interruption');
  await db.database.pool('supabase_admin').exec(`
    create schema if not exists storage;
    create table if not exists storage.objects (version text);
    grant usage on schema storage to supabase_storage_admin;
    grant select on storage.objects to supabase_storage_admin`);
});
afterAll(async () => {
  await db?.drop();
  rmSync(dir, { recursive: true, force: true });
});

interface ContextParts {
  readonly log?: Logger;
  readonly now?: () => number;
  readonly read?: (version: string) => Promise<Readable>;
}

/** Returns the arguments for backups of the test database to a new folder. */
const contextOf = (
  target: string,
  journal: JournalFiles,
  {
    log = silentLogger,
    now = Date.now,
    read = async (version) => Readable.from([Buffer.from(version)]),
  }: ContextParts,
): Parameters<typeof createBackups>[0] => ({
  settings: {
    to: join(dir, target),
    encryption_key: randomBytes(32).toString('hex'),
    schedule: '0 3 * * *',
    keep: 7 * 86_400_000,
    wal: true,
    max_rate: 10 * 1024 * 1024,
    access_key_id: undefined,
    secret_access_key: undefined,
  },
  database: db.database,
  journal,
  store: { read, write: async () => undefined, remove: async () => undefined },
  sources: { dataDir, supabaseDir: join(projectDir, 'supabase') },
  projectDir,
  now,
  log,
});

test('a base backup continues after interruptions, and each cause is logged once', async () => {
  const journal = openJournal(dataDir);
  let failure: Error | undefined;
  const errors: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (fields) => errors.push(fields.error) };
  const backups = createBackups(
    contextOf('target', journal, {
      log,
      async read(version) {
        if (failure !== undefined) throw failure;
        return Readable.from([Buffer.from(version)]);
      },
    }),
  );
  backups.start();
  try {
    await expect.poll(() => backups.status().running, { timeout: 20_000 }).toBe(true);
    for (const reason of ['first reason', 'second reason']) {
      failure = new Error(reason);
      journal.stored(randomUUID());
      await expect.poll(() => backups.status().error, { timeout: 20_000 }).toContain(reason);
    }
    expect(backups.status().running).toBe(true);
    failure = undefined;
    await expect.poll(() => backups.status().lastBackup?.id, { timeout: 90_000 }).toBeTypeOf('string');
    expect(errors).toEqual(['first reason', 'second reason']);
    await expect.poll(() => backups.status().error, { timeout: 20_000 }).toBeUndefined();
  } finally {
    await backups.stop();
  }

  const admin = db.database.pool('supabase_admin');
  const slots = () =>
    admin.query(sql`select active from pg_catalog.pg_replication_slots where slot_name = ${backupSlot}`);
  await expect.poll(slots).toEqual([{ active: false }]);
  await dropUnusedBackupSlot(db.database, log);
  expect(await slots()).toEqual([]);
  await dropUnusedBackupSlot(db.database, log);
  expect(errors).toHaveLength(2);
});

test('a base backup is not skipped after the clock was set back by a day', async () => {
  const day = 86_400_000;
  let offsetMs = day;
  const journal = openJournal(dataDir);
  const backups = createBackups(contextOf('set-back', journal, { now: () => Date.now() + offsetMs }));
  backups.start();
  try {
    const last = () => backups.status().lastBackup;
    await expect.poll(last, { timeout: 90_000 }).toBeDefined();
    const first = last();
    expect(first?.startedAtMs).toBeGreaterThan(Date.now() + day / 2);
    offsetMs = 0;
    // With this clock, the next backup after the first one would be due in more than a day.
    await expect.poll(() => last()?.id, { timeout: 90_000 }).not.toBe(first?.id);
    expect(last()?.startedAtMs).toBeLessThan(Date.now() + day / 2);
    expect(backups.status().nextMs).toBeLessThan(Date.now() + day);
    expect(backups.status().overdue).toBe(false);
  } finally {
    await backups.stop();
  }
});

test('requests while the target is being opened don’t open it a second time', async () => {
  const errors: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (fields) => errors.push(fields.error) };
  const backups = createBackups(contextOf('opening', openJournal(dataDir), { log }));
  backups.start();
  try {
    expect(await Promise.all([backups.list(), backups.list()])).toEqual([[], []]);
    await backups.run();
    await expect.poll(async () => (await backups.list()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(backups.status().error).toBeUndefined();
    expect(errors).toEqual([]);
  } finally {
    await backups.stop();
  }
});
