import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, isHeld, readLock, startMark } from './lock.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('reports the process that holds the folder until the lock is released', () => {
  const lock = acquireLock(dir, 0);
  expect(readLock(dir)).toMatchObject({ pid: process.pid, port: 0 });
  lock.update(54322);
  expect(readLock(dir)?.port).toBe(54322);
  expect(() => acquireLock(dir, null)).toThrow(
    expect.objectContaining({ code: 'locked', message: expect.stringContaining('54322') }),
  );
  lock.release();
  expect(readLock(dir)).toBeUndefined();
  acquireLock(dir, null).release();
});

test.each([
  ['a dead process', { pid: 2 ** 22 + 1, startedAt: '', port: null }],
  ['another process with its id', { pid: process.ppid, startedAt: '', port: null, mark: 'boot:0' }],
])('a lock of %s is ignored', (_name, holder) => {
  writeFileSync(join(dir, 'lock'), JSON.stringify(holder));
  expect(isHeld(holder)).toBe(false);
  acquireLock(dir, null).release();
});

test('a damaged lock file is ignored', () => {
  writeFileSync(join(dir, 'lock'), '{"pid":');
  acquireLock(dir, null).release();
});

test('the start time distinguishes a running process from a later one with the same ID', () => {
  const mark = startMark(process.pid);
  expect(
    isHeld({ pid: process.pid, startedAt: '', port: null, ...(mark === undefined ? {} : { mark }) }),
  ).toBe(true);
});
