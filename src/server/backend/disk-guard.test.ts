import { tmpdir } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { reserveOf } from '../../base/kernel/disk.ts';
import { silentLogger } from '../../base/kernel/log.ts';
import { createDiskGuard } from './disk-guard.ts';

const MiB = 1024 * 1024;

test.each([
  ['a small disk', 150 * MiB, 48 * MiB],
  ['a medium disk', 10 * 1024 * MiB, 512 * MiB],
  ['a large disk', 500 * 1024 * MiB, 1024 * MiB],
])('%s has a reserve within the limits', (_name, totalBytes, expected) => {
  expect(reserveOf({ totalBytes }, undefined)).toBe(expected);
});

test('a configured reserve applies unchanged', () => {
  expect(reserveOf({ totalBytes: 1024 * MiB }, 7 * MiB)).toBe(7 * MiB);
});

test('a change that failed halfway is undone when space is available again', async () => {
  const switches: boolean[] = [];
  const space = { freeBytes: 10 * MiB };
  const guard = createDiskGuard({
    dir: tmpdir(),
    reservedBytes: () => 48 * MiB,
    measure: async () => ({ freeBytes: space.freeBytes, totalBytes: 150 * MiB }),
    async onChange(isFull) {
      switches.push(isFull);
      if (isFull) throw new Error('No space left on device');
    },
    log: silentLogger,
  });
  onTestFinished(() => guard.stop());
  await guard.start();
  expect(guard.isFull).toBe(true);
  expect(guard.health().status).toBe('failing');
  space.freeBytes = 100 * MiB;
  await vi.waitFor(() => expect(switches.at(-1)).toBe(false), { timeout: 5000 });
  await vi.waitFor(() => expect(guard.health().status).toBe('ok'));
});

test('writes resume only when enough space is available', async () => {
  const space = { freeBytes: 47 * MiB };
  const guard = createDiskGuard({
    dir: tmpdir(),
    reservedBytes: () => 48 * MiB,
    measure: async () => ({ freeBytes: space.freeBytes, totalBytes: 150 * MiB }),
    onChange: async () => undefined,
    log: silentLogger,
  });
  onTestFinished(() => guard.stop());
  await guard.start();
  space.freeBytes = 49 * MiB;
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(guard.isFull).toBe(true);
});

test('data that would use up the reserve is rejected', async () => {
  const guard = createDiskGuard({
    dir: tmpdir(),
    reservedBytes: () => 48 * MiB,
    measure: async () => ({ freeBytes: 100 * MiB, totalBytes: 150 * MiB }),
    onChange: async () => undefined,
    log: silentLogger,
  });
  onTestFinished(() => guard.stop());
  await guard.start();
  expect(guard.hasSpaceFor(50 * MiB)).toBe(true);
  expect(guard.hasSpaceFor(53 * MiB)).toBe(false);
});
