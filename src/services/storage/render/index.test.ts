import { expect, test } from 'vitest';
import { createGate, GateFullError } from './index.ts';

test('limits the running tasks, queues a few and rejects the others', async () => {
  const gate = createGate(2, 1);
  const ends: (() => void)[] = [];
  let running = 0;
  const work = (): Promise<void> => {
    running += 1;
    return new Promise((resolve) =>
      ends.push(() => {
        running -= 1;
        resolve();
      }),
    );
  };
  const tasks = [gate(work), gate(work), gate(work)];
  await expect(gate(work)).rejects.toThrow(GateFullError);
  expect(running).toBe(2);
  ends[0]?.();
  await tasks[0];
  expect(running).toBe(2);
  ends[1]?.();
  ends[2]?.();
  await Promise.all(tasks);
  await gate(async () => expect(running).toBe(0));
});

test('a failed task releases its slot', async () => {
  const gate = createGate(1, 0);
  await expect(gate(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await gate(async () => 'yes')).toBe('yes');
});
