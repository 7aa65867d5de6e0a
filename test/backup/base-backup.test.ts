/** Tests base backups of a server that removes WAL while the backup runs. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { takeBaseBackup } from '../../src/operations/backup/base-backup.ts';
import { openRepository, type Repository } from '../../src/operations/backup/repository.ts';
import { folderTarget } from '../../src/operations/backup/target/folder.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-base-'));
let db: TestDatabase;
let repository: Repository;

beforeAll(async () => {
  db = await createTestDatabase('base-backup');
  repository = await openRepository(folderTarget(dir), randomBytes(32), {
    systemIdentifier: '1',
    isKnown: () => false,
  });
});
afterAll(async () => {
  await db?.drop();
  rmSync(dir, { recursive: true, force: true });
});

const options = { maxRate: 10 * 1024 * 1024, nowMs: 0, complete: async () => undefined };

/**
 * The number of WAL segment switches, each of which produces 16 MB. If the WAL exceeded `max_slot_wal_keep_size`, the
 * backup would fail.
 */
const switches = 3;

test('a slow backup keeps the WAL that it needs, and releases it afterwards', async () => {
  const { database } = db;
  const admin = database.pool('supabase_admin');
  const slots = sql`select from pg_catalog.pg_replication_slots where slot_name like 'plinth_base_%'`;
  let ended = false;
  const backup = takeBaseBackup({ ...options, database, repository }).finally(() => {
    ended = true;
  });
  backup.catch(() => undefined);
  await expect.poll(() => admin.query(slots)).toHaveLength(1);
  for (let switched = 0; switched < switches; switched++) {
    await admin.query(
      sql`select pg_catalog.pg_logical_emit_message(false, 'test', 'x'), pg_catalog.pg_switch_wal()`,
    );
    await admin.exec('checkpoint');
  }
  expect(ended).toBe(false);
  const manifest = await backup;
  expect(readdirSync(join(dir, 'base', manifest.id)).sort()).toEqual(['data', 'manifest', 'pg-manifest']);
  await expect.poll(() => admin.query(slots)).toEqual([]);
});

test('a failed backup leaves no files', async () => {
  const complete = async (): Promise<void> => {
    throw new Error('The bodies are missing.');
  };
  const backup = takeBaseBackup({
    ...options,
    maxRate: 2 ** 30,
    nowMs: 1000,
    database: db.database,
    repository,
    complete,
  });
  await expect(backup).rejects.toThrow('The bodies are missing.');
  const left = readdirSync(join(dir, 'base')).filter((id) => id.startsWith('19700101T000001Z'));
  expect(left.flatMap((id) => readdirSync(join(dir, 'base', id)))).toEqual([]);
  expect(existsSync(join(dir, 'unfinished')) ? readdirSync(join(dir, 'unfinished')) : []).toEqual([]);
});
