import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openJournal } from './journal.ts';

/** A disk with limited space. */
const disk = { freeBytes: 0 };
const write = (handle: number, bytes: Buffer): number => {
  if (disk.freeBytes === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const count = writeSync(handle, bytes.subarray(0, disk.freeBytes));
  disk.freeBytes -= count;
  return count;
};

let dataDir: string;
let folder: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plinth-journal-'));
  folder = join(dataDir, 'backup', 'journal');
  disk.freeBytes = Number.POSITIVE_INFINITY;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test.each([0, 10, 38])('an entry that doesn’t fit on the disk is an error, after %i bytes', (freeBytes) => {
  const journal = openJournal(dataDir, write);
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  journal.stored(first);
  disk.freeBytes = freeBytes;
  expect(() => journal.removed([second, third])).toThrow();
  const [name = ''] = readdirSync(folder);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(`+${first}\n`);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  journal.stored(third);
  expect(journal.read()).toMatchObject({ stored: [first, third], removed: [] });
  journal.close();
});

test('an incomplete entry doesn’t affect later entries', () => {
  const journal = openJournal(dataDir, write);
  const [first, second] = [randomUUID(), randomUUID()];
  writeFileSync(
    join(folder, `${process.pid}-a.1`),
    `+${first}\n+${second.slice(0, 9)}\n-${second}\n+${first.slice(0, 5)}`,
  );
  const entries = journal.read();
  expect(entries).toMatchObject({ stored: [first], removed: [second] });
  entries.done();
  expect(journal.read()).toMatchObject({ stored: [], removed: [] });
  journal.close();
});
