import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { segmentBytes } from '../core/lsn.ts';
import { checkRecoveryEnd } from './recovery-end.ts';

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
