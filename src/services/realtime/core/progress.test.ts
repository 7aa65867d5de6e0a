import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lsnText, Progress, parseLsn } from './progress.ts';

/** Returns the parts of a transaction's pgoutput messages that this test needs. */
function transaction(final: number, rows: number): Buffer[] {
  const begin = Buffer.alloc(21);
  begin.write('B');
  begin.writeBigUInt64BE(BigInt(final), 1);
  const commit = Buffer.alloc(26);
  commit.write('C');
  commit.writeBigUInt64BE(BigInt(final), 2);
  commit.writeBigUInt64BE(BigInt(final + 1), 10);
  const messages = [Buffer.from('R…')];
  for (let row = 0; row < rows; row++)
    messages.push(Buffer.from(`${['I', 'U', 'D'][row % 3]} ${final} ${row}`), Buffer.from('Y'));
  return [begin, ...messages, commit];
}

test('regardless of interruptions, each row is processed once, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(4), { minLength: 1, maxLength: 10 }),
      fc.array(fc.nat(12), { maxLength: 10 }),
      (sizes, breaks) => {
        const transactions = sizes.map((rows, index) => ({ final: (index + 1) * 10, rows }));
        const progress = new Progress();
        const taken: string[] = [];
        for (const length of [...breaks, Number.POSITIVE_INFINITY]) {
          const again = transactions.filter(({ final }) => BigInt(final) >= progress.received);
          let left = length;
          for (const message of again.flatMap(({ final, rows }) => transaction(final, rows))) {
            if (left-- === 0) break;
            const isRow = 'IUD'.includes(String.fromCharCode(message[0] as number));
            if (progress.admits(message) && isRow) taken.push(message.toString());
          }
        }
        const all = transactions.flatMap(({ final, rows }) => transaction(final, rows));
        expect(taken).toEqual(all.map(String).filter((message) => /^[IUD] /.test(message)));
      },
    ),
  );
});

test('positions have PostgreSQL’s format', () => {
  expect(lsnText(0n)).toBe('0/0');
  expect(lsnText(0x16b374d848n)).toBe('16/B374D848');
  expect(parseLsn('16/B374D848')).toBe(0x16b374d848n);
});
