/**
 * Tests that an upgrade moves extensions from packs. The major version stays the same, so these tests don't require
 * another version.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type UpgradeReport, upgradeCluster } from '../../src/operations/upgrade/index.ts';
import { findBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { createDatabase, migrateNewCluster } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import type { Pool } from '../../src/platform/database/types.ts';
import { writeFormerExtension } from '../database/former-vector.ts';
import { missingPack } from '../support/packs.ts';

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  await copyTemplateFolder(dataDir);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

async function withPostgres<T>(work: (postgres: Pool) => Promise<T>): Promise<T> {
  const database = await createDatabase({ dataDir, durable: false });
  try {
    return await work(database.pool('postgres'));
  } finally {
    await database.stop();
  }
}

const upgrade = (): Promise<UpgradeReport> =>
  upgradeCluster({
    dataDir,
    oldBindir: dirname(findBinaries().postgres),
    check: false,
    force: true,
    settings: {},
    migrate: (target, from) => migrateNewCluster(target, from, []),
    onProgress: () => undefined,
    onLine: () => undefined,
    signal: new AbortController().signal,
  });

const items = `create table items (id int primary key, embedding extensions.vector(2));
  insert into items select n, array[n, 1]::extensions.vector from generate_series(1, 500) n;
  create index near on items using hnsw (embedding extensions.vector_l2_ops)`;

describe.skipIf(await missingPack('vector'))('an upgrade', () => {
  test('moves vectors and their indexes', async () => {
    await withPostgres((postgres) =>
      postgres.exec(`create extension vector with schema extensions; ${items}`),
    );
    expect((await upgrade()).warnings).toEqual([]);
    await withPostgres(async (postgres) => {
      expect(
        await postgres.query(sql`select id from items order by embedding <-> '[70,1]' limit 2`),
      ).toMatchObject([{ id: 70 }, {}]);
      const plan = await postgres.transaction(async (tx) => {
        // The planner would scan such a small table.
        await tx.exec('set local enable_seqscan = off');
        return await tx.query(sql`explain select id from items order by embedding <-> '[70,1]' limit 2`);
      });
      expect(JSON.stringify(plan)).toContain('near on items');
    });
  });

  test('of a database with the vector of Plinth 0.2 is refused before anything is changed', async () => {
    await withPostgres(async (postgres) => {
      writeFormerExtension(dataDir);
      await postgres.exec(`create extension vector with schema extensions; ${items}`);
    });
    await expect(upgrade()).rejects.toMatchObject({
      code: 'sql_vector',
      message: expect.stringContaining('The database postgres contains the extension vector of Plinth 0.2'),
      hint: expect.stringMatching(/newer than 0\.2.*Nothing was changed/),
    });
    expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false);
    // The next start converts the extension, and then the upgrade succeeds.
    await withPostgres(() => Promise.resolve());
    await upgrade();
    await withPostgres(async (postgres) =>
      expect(await postgres.query(sql`select embedding::text as e from items where id = 7`)).toEqual([
        { e: '[7,1]' },
      ]),
    );
  });
});
