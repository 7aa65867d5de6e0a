import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sql } from '../../../base/kernel/sql.ts';
import type { Transaction, TransactionWork, WholeTransaction } from '../../../platform/database/types.ts';
import { streamRows } from './export.ts';

test('an export ends if its file is destroyed before the client received anything', async () => {
  let end: unknown;
  const rows = Array.from({ length: 64 }, () => ['x'.repeat(32_000)]);
  const tx = { queryText: async () => ({ rows }) } as unknown as Transaction;
  const run = async <T>(work: TransactionWork<T>): Promise<T> => {
    try {
      return await work(tx as WholeTransaction, []);
    } catch (error) {
      end = error;
      throw error;
    }
  };
  const print = { head: '', row: ([text]: readonly (string | null)[]) => text ?? '', tail: '' };
  const file = await streamRows(run, sql`select`, print, new AbortController().signal);
  await turn();
  expect(end).toBeUndefined();
  file.destroy();
  await once(file, 'close');
  await expect.poll(() => end).toMatchObject({ name: 'AbortError' });
});
