import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Choice } from './catalog.ts';
import { bodyName } from './core/names.ts';
import { bodySizes, checkSpace, databaseBytes, sumOf, watchSpace } from './space.ts';

const MiB = 1024 * 1024;
const choiceOf = (sizeBytes: number): Choice => ({
  manifest: {
    id: 'a',
    startedAtMs: 0,
    endedAtMs: 0,
    startLsn: '0/1000000',
    endLsn: '0/2000000',
    timeline: 1,
    sizeBytes,
    storedBytes: 0,
    serverVersion: 180_000,
  },
  until: 'end',
  newestMs: 0,
  end: 0xffff_ffff_ffffn,
  hasGap: false,
});
const range = (start: bigint, end: bigint, timeline = 1) => ({ name: '', timeline, start, end, timeMs: 0 });

test('the estimate includes the WAL after the base backup, up to the amount that PostgreSQL keeps', () => {
  const size = 1000 * MiB;
  const without = databaseBytes(choiceOf(size), { ranges: [] });
  expect(without).toBeGreaterThan(size);
  const ranges = [
    range(0x1000000n, 0x2000000n),
    range(0x2000000n, 0x6000000n),
    range(0x2000000n, 0xf000000n, 2),
  ];
  // The restore needs 64 MiB for the WAL, and the same amount for the growth of the database.
  expect(databaseBytes(choiceOf(size), { ranges }) - without).toBe(2 * 64 * MiB);
  const many = [range(0x2000000n, 0x2000000n + 1_000_000n * BigInt(MiB))];
  expect(databaseBytes(choiceOf(size), { ranges: many }) - without).toBe(1024 * MiB + size / 4);
});

test('body sizes are read from the listing', async () => {
  const [one, two] = [
    '00000000-0000-4000-8000-000000000001',
    '00000000-0000-4000-8000-000000000002',
  ] as const;
  const sizes = await bodySizes({
    async *list() {
      yield { name: bodyName(one), sizeBytes: 10, modifiedAtMs: 0 };
      yield { name: 'bodies/other', sizeBytes: 1000, modifiedAtMs: 0 };
    },
  });
  expect(sumOf(sizes, [one, two])).toBe(10);
});

const spaceOf = (freeBytes: number) => ({
  dir: '/data',
  shownDir: '/data',
  reservedBytes: 100 * MiB,
  measure: async () => ({ freeBytes, totalBytes: 10_000 * MiB }),
});

test('a copy must leave twice the reserve, below which the disk counts as almost full', async () => {
  await checkSpace(300 * MiB, spaceOf(500 * MiB));
  await expect(checkSpace(301 * MiB, spaceOf(500 * MiB))).rejects.toThrow(
    'The restored copy needs 301.0 MiB in /data, where 300.0 MiB are available in addition to the reserve of 200.0 MiB.',
  );
});

test('a copy is aborted before it uses the reserve', async () => {
  let freeBytes = 130 * MiB;
  const { dir, shownDir, reservedBytes } = spaceOf(0);
  const watch = watchSpace({
    dir,
    shownDir,
    reservedBytes,
    measure: async () => ({ freeBytes, totalBytes: 10_000 * MiB }),
  });
  try {
    await sleep(600);
    expect(watch.signal.aborted).toBe(false);
    freeBytes = 120 * MiB;
    await expect.poll(() => watch.signal.aborted).toBe(true);
    expect(watch.signal.reason).toMatchObject({ code: 'no_space' });
  } finally {
    watch.stop();
  }
});
