import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createRunner } from './runner.ts';
import type { BranchServer } from './types.ts';

interface Launched extends BranchServer {
  readonly crash: () => void;
}

function fakeServer(): Launched {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    ports: { api: 1, console: 2, database: 3 },
    status: {},
    manage: async () => undefined,
    signInLink: async () => '',
    setOperators: async () => undefined,
    stop: async () => resolve(),
    ended: promise,
    crash: resolve,
  };
}

function runnerOf({ idleMs = 60_000 }: { idleMs?: number } = {}) {
  const launched: Launched[] = [];
  const runner = createRunner({
    launch: async () => {
      const server = fakeServer();
      launched.push(server);
      return server;
    },
    idleMs: () => idleMs,
    onUsed: () => undefined,
    now: Date.now,
  });
  return { runner, launched };
}

test('simultaneous users share one server, which stops only after the last of them', async () => {
  const { runner, launched } = runnerOf({ idleMs: 1 });
  const slow = Promise.withResolvers<void>();
  const first = runner.use(() => slow.promise);
  await runner.use(async () => undefined);
  await sleep(20);
  expect([launched.length, runner.isRunning, runner.users]).toEqual([1, true, 1]);
  slow.resolve();
  await first;
  await vi.waitFor(() => expect(runner.isRunning).toBe(false));
});

test('a server that has ended is started again', async () => {
  const { runner, launched } = runnerOf();
  await runner.use(async () => undefined);
  launched[0]?.crash();
  await vi.waitFor(() => expect(runner.isRunning).toBe(false));
  await runner.use(async () => undefined);
  expect(launched.length).toBe(2);
  await runner.stop();
});

test('a failed start is tried again with the next use', async () => {
  let attempts = 0;
  const runner = createRunner({
    launch: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('no memory');
      return fakeServer();
    },
    idleMs: () => 60_000,
    onUsed: () => undefined,
    now: Date.now,
  });
  await expect(runner.use(async () => undefined)).rejects.toThrow('no memory');
  await vi.waitFor(() => expect(runner.isRunning).toBe(false));
  await runner.use(async () => undefined);
  await runner.stop();
});

test('a removed branch can no longer be used', async () => {
  const { runner, launched } = runnerOf();
  await runner.use(async () => undefined);
  await runner.stop(true);
  await expect(runner.use(async () => undefined)).rejects.toThrow('being removed');
  expect(launched.length).toBe(1);
});

test('a use during a stop waits until the earlier server has ended, because both need the same data', async () => {
  const stopped = Promise.withResolvers<void>();
  let running = 0;
  const runner = createRunner({
    launch: async () => {
      running += 1;
      expect(running).toBe(1);
      return {
        ...fakeServer(),
        stop: async () => {
          await stopped.promise;
          running -= 1;
        },
      };
    },
    idleMs: () => 60_000,
    onUsed: () => undefined,
    now: Date.now,
  });
  await runner.use(async () => undefined);
  const stopping = runner.stop();
  const used = runner.use(async () => 'used');
  await sleep(1);
  stopped.resolve();
  await stopping;
  expect(await used).toBe('used');
  await runner.stop();
});
