import { expect, test } from 'vitest';
import { hasCompleteRecord } from './wal-record.ts';

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
