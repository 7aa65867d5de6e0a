/**
 * Tests that after a kill -9 of all processes at any moment, the next start succeeds without manual steps, and all
 * acknowledged rows exist.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase } from '../../src/platform/database/index.ts';
import { killEverything, startWriter, temporaryFolder, type Writer } from './helpers.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  killEverything(folder.path);
  folder.remove();
});

/** The moments at which the processes are killed. The processes run one after another in the same folder. */
const moments: { name: string; wait: (writer: Writer) => Promise<unknown> }[] = [
  { name: 'immediately after the start', wait: () => sleep(randomInt(60, 200)) },
  { name: 'when initdb begins', wait: (writer) => writer.line('progress Preparing PostgreSQL') },
  {
    name: 'during initdb',
    wait: (writer) => writer.line('progress Preparing PostgreSQL').then(() => sleep(randomInt(400))),
  },
  { name: 'when the bootstrap begins', wait: (writer) => writer.line('progress Preparing the database') },
  {
    name: 'during the bootstrap',
    wait: (writer) => writer.line('progress Preparing the database').then(() => sleep(randomInt(40))),
  },
  { name: 'during writes', wait: (writer) => writer.line('writing').then(() => sleep(randomInt(150))) },
  { name: 'during recovery', wait: () => sleep(randomInt(100, 300)) },
  { name: 'during writes again', wait: (writer) => writer.line('writing').then(() => sleep(randomInt(150))) },
];

test('acknowledged rows are kept and manual steps aren’t needed', { timeout: 60_000 }, async () => {
  let acknowledged = 0;
  for (const { wait } of moments) {
    const writer = startWriter(folder.path);
    await Promise.race([wait(writer), writer.ended]);
    killEverything(folder.path);
    await writer.ended;
    acknowledged = Math.max(acknowledged, writer.acknowledged());
  }
  expect(acknowledged).toBeGreaterThan(0);
  const database = await createDatabase({ dataDir: folder.path });
  try {
    const [row] = await database
      .pool('postgres')
      .query<{ count: number; last: number }>(
        sql`select count(*)::int as count, max(id) as last from public.written`,
      );
    expect(row?.last).toBeGreaterThanOrEqual(acknowledged);
    expect(row?.count).toBe(row?.last);
  } finally {
    await database.stop();
  }
});
