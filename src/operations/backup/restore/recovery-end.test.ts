import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { segmentBytes } from '../core/lsn.ts';
import { checkRecoveryEnd, hasCompleteRecord } from './recovery-end.ts';

let postgres: string;
beforeEach(() => {
  postgres = mkdtempSync(join(tmpdir(), 'plinth-end-'));
  mkdirSync(join(postgres, 'pg_wal'));
});
afterEach(() => rmSync(postgres, { recursive: true, force: true }));

const history = (name: string, text: string): void =>
  writeFileSync(join(postgres, 'pg_wal', name), text, 'latin1');
/** A segment that contains a single record, which has 1000 bytes and begins at 0x100. */
const segment = Buffer.alloc(segmentBytes);
segment.writeUInt32LE(1000, 0x100);
const check = (end: bigint, timeline = 1): Promise<void> =>
  checkRecoveryEnd({
    postgres,
    timeline,
    end,
    find: async (name) => (name === '000000010000000000000003' ? segment : undefined),
  });

test('a recovery that stopped before a complete record is reported as an error', async () => {
  history('00000002.history', '1\t0/3000100\tno recovery target specified\n');
  await check(0x3000100n);
  await check(0x3000100n + 999n);
  await expect(check(0x3000100n + 1000n)).rejects.toMatchObject({ code: 'wal_gap' });
  await expect(check(0x5000000n)).rejects.toMatchObject({ code: 'wal_gap' });
});

test('zeros at the end of a segment aren’t a record', async () => {
  history('00000002.history', '1\t0/3000500\tno recovery target specified\n');
  await check(0x4000000n);
});

test('the history of several timelines', async () => {
  history('00000002.history', '1\t0/1000100\tno recovery target specified\n');
  history('00000003.history', '1\t0/1000100\tbefore 2026\n\n2\t0/3000100\tno recovery target specified\n');
  await check(0x3000100n, 2);
  await check(0x1000100n, 1);
  await expect(check(0x3000100n, 3)).rejects.toMatchObject({ code: 'recovery_failed' });
});

/** Returns a page header of `before` bytes, followed by the first `present` bytes of a record that has this length. */
const wal = (before: number, length: number, present: number): Buffer => {
  const bytes = Buffer.alloc(before + present);
  if (present >= 4) bytes.writeUInt32LE(length, before);
  return bytes;
};

test.each([
  ['no bytes', 0x3000028n, Buffer.alloc(0), false],
  ['zeros', 0x3000028n, Buffer.alloc(4096), false],
  ['a complete record', 0x3000028n, wal(0, 100, 100), true],
  ['a record without its last byte', 0x3000028n, wal(0, 100, 99), false],
  ['a record after the header of a page', 0x3002000n, wal(24, 100, 100), true],
  ['the same without its last byte', 0x3002000n, wal(24, 100, 99), false],
  ['a record after the header of a segment', 0x3000000n, wal(40, 100, 100), true],
  ['the same without its last byte', 0x3000000n, wal(40, 100, 99), false],
  ['a record that continues after the header of a page', 0x3001ff8n, wal(0, 100, 124), true],
  ['the same without its last byte', 0x3001ff8n, wal(0, 100, 123), false],
  ['a record that continues in the next segment', 0x3fffff8n, wal(0, 100, 140), true],
  ['the same without its last byte', 0x3fffff8n, wal(0, 100, 139), false],
  ['a part of the header of the next page', 0x3001ff8n, wal(0, 100, 20), false],
])('%s', (_what, from, content, expected) => {
  expect(hasCompleteRecord(content, from)).toBe(expected);
});
