import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../../../base/kernel/log.ts';
import type { Server } from './server.ts';
import { supervise } from './supervisor.ts';

interface FakeServer extends Server {
  die(): void;
  readonly isStopped: boolean;
}

function fakeServer(pid: number): FakeServer {
  const ended = Promise.withResolvers<void>();
  let isStopped = false;
  return {
    pid,
    ended: ended.promise,
    die: () => ended.resolve(),
    get isStopped() {
      return isStopped;
    },
    async stop() {
      isStopped = true;
      ended.resolve();
    },
    unref() {},
  };
}

function useFakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

test('restarting the server is retried until it succeeds', async () => {
  useFakeTimers();
  const servers = [fakeServer(1), fakeServer(2)] as const;
  const attempts: number[] = [];
  let isDiskFull = true;
  const supervised = supervise(
    servers[0],
    async () => {
      attempts.push(Date.now());
      if (isDiskFull) throw new Error('No space left on device');
      return servers[1];
    },
    silentLogger,
  );
  servers[0].die();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(attempts.length).toBeGreaterThan(100);
  const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] as number));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(4000);
  expect(pauses.slice(0, 5)).toEqual([100, 200, 400, 800, 1600]);
  isDiskFull = false;
  await vi.advanceTimersByTimeAsync(4000);
  expect(supervised.pid()).toBe(2);
  await supervised.stop();
  expect(servers[1].isStopped).toBe(true);
});

test('a server that exits repeatedly isn’t restarted in a tight loop', async () => {
  useFakeTimers();
  const first = fakeServer(0);
  let restarts = 0;
  const supervised = supervise(
    first,
    async () => {
      const server = fakeServer(++restarts);
      setTimeout(() => server.die(), 10);
      return server;
    },
    silentLogger,
  );
  first.die();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(restarts).toBeGreaterThan(10);
  expect(restarts).toBeLessThan(25);
  await supervised.stop();
});

test('stopping doesn’t wait for the next attempt', async () => {
  const first = fakeServer(1);
  let attempts = 0;
  const supervised = supervise(
    first,
    async () => {
      attempts += 1;
      throw new Error('No space left on device');
    },
    silentLogger,
  );
  first.die();
  await vi.waitFor(() => expect(attempts).toBe(5), { timeout: 5000 });
  const startedAt = performance.now();
  await supervised.stop();
  expect(performance.now() - startedAt).toBeLessThan(500);
  expect(attempts).toBe(5);
});
