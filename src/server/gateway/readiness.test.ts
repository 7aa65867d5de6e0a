import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import type { Health } from '../../base/kernel/service.ts';
import { createReadiness } from './readiness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const essential = new Set(['database']);

test('the worst check determines the status', async () => {
  let database: Health | undefined;
  let disk: Health | undefined;
  const readiness = createReadiness(
    { database: async () => database, disk: async () => disk },
    silentLogger,
    essential,
  );
  expect(await readiness.report()).toEqual({
    status: 'ok',
    checks: { database: { status: 'ok' }, disk: { status: 'ok' } },
  });
  disk = { status: 'degraded', message: 'The disk is filling up.' };
  vi.advanceTimersByTime(1000);
  expect(await readiness.report()).toMatchObject({ status: 'degraded', checks: { disk } });
  database = { status: 'failing', message: 'It is away.' };
  vi.advanceTimersByTime(1000);
  expect(await readiness.report()).toMatchObject({ status: 'failing', checks: { database, disk } });
});

test('many callers cause only one check per second', async () => {
  const check = vi.fn(async () => undefined);
  const readiness = createReadiness({ check }, silentLogger, essential);
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 50 }, () => readiness.report()));
    vi.advanceTimersByTime(999);
    await readiness.report();
    vi.advanceTimersByTime(1);
  }
  expect(check).toHaveBeenCalledTimes(3);
});

test('an error is reported with its code but without its text, which can contain hosts and accounts', async () => {
  const readiness = createReadiness(
    {
      async database() {
        throw Object.assign(new Error('password authentication failed for user "x"'), { code: '28P01' });
      },
    },
    silentLogger,
    essential,
  );
  const report = await readiness.report();
  expect(report.status).toBe('failing');
  expect(report.checks.database?.message).toBe('The check failed (28P01). For the reason, see the log.');
});

test('a check that never responds is reported as failed', async () => {
  const readiness = createReadiness(
    { database: () => new Promise(() => undefined) },
    silentLogger,
    essential,
  );
  const report = readiness.report();
  await vi.advanceTimersByTimeAsync(2500);
  expect(await report).toMatchObject({
    status: 'failing',
    checks: { database: { status: 'failing', message: 'No response within 2500 ms.' } },
  });
});

test('a check that is still running isn’t started again', async () => {
  const check = vi.fn(() => new Promise<undefined>(() => undefined));
  const readiness = createReadiness({ database: check }, silentLogger, essential);
  for (let round = 0; round < 5; round++) {
    const report = readiness.report();
    await vi.advanceTimersByTimeAsync(3000);
    expect((await report).status).toBe('failing');
  }
  expect(check).toHaveBeenCalledTimes(1);
});

test('a draining process isn’t ready, even if all checks pass', async () => {
  const readiness = createReadiness({}, silentLogger, essential);
  readiness.drain();
  expect((await readiness.report()).status).toBe('draining');
});

test('only the failure of an essential check makes the process unready, and other checks don’t delay the report', async () => {
  const storage = async (): Promise<Health> => ({ status: 'failing', message: 'S3 is unreachable.' });
  const never = (): Promise<undefined> => new Promise(() => undefined);
  const readiness = createReadiness(
    { database: async () => undefined, storage, functions: never, rest: () => Promise.reject(new Error()) },
    silentLogger,
    essential,
  );
  const report = readiness.report();
  await vi.advanceTimersByTimeAsync(800);
  expect(await report).toMatchObject({
    status: 'degraded',
    checks: {
      database: { status: 'ok' },
      storage: { status: 'failing' },
      functions: { status: 'failing' },
      rest: { status: 'failing' },
    },
  });
});
