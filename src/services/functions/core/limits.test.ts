import { expect, test } from 'vitest';
import { defaultLimits, exceeded, isSpent, limitsFor, nearlyExceeded, type Usage } from './limits.ts';

const fresh: Usage = { cpuMs: 0, oldestCpuMs: 0, memoryBytes: 50e6, ageMs: 10 };
const { cpuMs, memoryBytes, wallClockMs } = defaultLimits;

test.each<[string, Partial<Usage>, RegExp | undefined, string | undefined, boolean]>([
  ['a quiet worker', {}, undefined, undefined, false],
  [
    'many short requests, one after another without a pause',
    { oldestCpuMs: cpuMs * 3 },
    undefined,
    undefined,
    true,
  ],
  ['half of the CPU time in one request', { oldestCpuMs: cpuMs / 2 + 1 }, undefined, undefined, true],
  ['nearly all of it', { cpuMs: cpuMs * 0.95, oldestCpuMs: cpuMs * 0.95 }, undefined, 'cpu', true],
  ['more than all of it', { cpuMs: cpuMs + 1, oldestCpuMs: cpuMs + 1 }, /^CPU time: 2001 ms/, 'cpu', true],
  ['memory', { memoryBytes: memoryBytes + 1 }, /^memory: 320 MiB/, 'memory', true],
  ['nearly the memory', { memoryBytes: memoryBytes * 0.91 }, undefined, 'memory', true],
  ['half of a life', { ageMs: wallClockMs / 2 + 1 }, undefined, undefined, true],
  ['a whole life', { ageMs: wallClockMs + 1 }, /^wall clock: 400 s/, 'wall_clock', true],
])('limits: %s', (_name, part, reason, near, spent) => {
  const usage = { ...fresh, ...part };
  if (reason === undefined) expect(exceeded(usage, defaultLimits)).toBeUndefined();
  else expect(exceeded(usage, defaultLimits)).toMatch(reason);
  expect(nearlyExceeded(usage, defaultLimits)).toBe(near);
  expect(isSpent(usage, defaultLimits)).toBe(spent);
});

test.each([
  // Each row contains the machine's memory in MiB, the number of processes, and the memory per process in MiB.
  [256, 2, 160],
  [512, 2, 192],
  [1024, 4, 320],
  [2048, 8, 320],
  [5120, 20, 320],
  [65_536, 20, 320],
])('on a machine with %d MiB', (size, workers, mebibytes) => {
  const limits = limitsFor(size * 1024 ** 2);
  expect([limits.maxWorkers, limits.memoryBytes / 1024 ** 2]).toEqual([workers, mebibytes]);
});
