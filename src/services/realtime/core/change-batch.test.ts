import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogOpener, createSealer } from './bus-seal.ts';
import { BatchBuilder, readBatch } from './change-batch.ts';
import { Progress } from './progress.ts';

function begin(final: number): Buffer {
  const message = Buffer.alloc(21);
  message.write('B');
  message.writeBigUInt64BE(BigInt(final), 1);
  return message;
}

function commit(final: number): Buffer {
  const message = Buffer.alloc(26);
  message.write('C');
  message.writeBigUInt64BE(BigInt(final), 2);
  message.writeBigUInt64BE(BigInt(final + 1), 10);
  return message;
}

function row(oid: number, text: string): Buffer {
  const message = Buffer.from(`I    ${text}`);
  message.writeUInt32BE(oid, 1);
  return message;
}

function relation(oid: number): Buffer {
  const message = Buffer.from('R    table');
  message.writeUInt32BE(oid, 1);
  return message;
}

/** The messages of transactions with the given numbers of rows, beginning with the transaction number `from`. */
const streamOf = (sizes: readonly number[], from: number): Buffer[] => [
  relation(7),
  ...sizes
    .slice(from)
    .flatMap((rows, index) => [
      begin((from + index + 1) * 10),
      ...Array.from({ length: rows }, (_, number) => row(7, `${from + index}/${number}`)),
      Buffer.from('M…'),
      commit((from + index + 1) * 10),
    ]),
];

test('however readers take over and divide changes into batches, each row is processed once, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
      fc.array(fc.record({ messages: fc.nat(20), batch: fc.integer({ min: 1, max: 9 }), back: fc.nat(3) }), {
        maxLength: 8,
      }),
      (sizes, readers) => {
        const log: Buffer[] = [];
        let confirmed = 0;
        for (const [version, reader] of [...readers, { messages: 1000, batch: 3, back: 2 }].entries()) {
          const builder = new BatchBuilder('g', version * 1000);
          const messages = streamOf(sizes, Math.max(0, confirmed - reader.back)).slice(0, reader.messages);
          for (const [index, message] of messages.entries()) {
            builder.add(message);
            if (index % reader.batch !== 0 && index < messages.length - 1) continue;
            const batch = builder.take();
            if (batch === undefined) continue;
            log.push(batch.bytes);
            if (batch.endLsn !== undefined)
              confirmed = Math.max(confirmed, Number((batch.endLsn - 1n) / 10n));
          }
        }
        const progress = new Progress();
        const seen: string[] = [];
        for (const bytes of log) {
          const { generation, entries } = readBatch(bytes);
          expect(generation).toBe('g');
          let isDescribed = false;
          for (const { message, number } of entries) {
            const kind = String.fromCharCode(message[0] as number);
            if (kind === 'R') isDescribed = true;
            else if (progress.admits(message, number) && kind === 'I') seen.push(message.toString('utf8', 5));
            if (kind === 'I') expect(isDescribed).toBe(true);
          }
        }
        expect(seen).toEqual(
          sizes.flatMap((rows, index) => Array.from({ length: rows }, (_, number) => `${index}/${number}`)),
        );
      },
    ),
  );
});

test('a description has a new version whenever PostgreSQL sends it again', () => {
  const builder = new BatchBuilder('g', 2 ** 32 - 1);
  const versions: number[] = [];
  for (const isNew of [true, false, true]) {
    if (isNew) builder.add(relation(7));
    for (const message of [begin(10), row(7, 'x'), row(7, 'y'), commit(10)]) builder.add(message);
    const { entries } = readBatch(builder.take()?.bytes as Buffer);
    expect(entries.map(({ message }) => String.fromCharCode(message[0] as number)).join('')).toBe('BRIIC');
    versions.push(entries[1]?.number as number);
  }
  expect(versions).toEqual([0, 0, 1]);
  expect(() => readBatch(Buffer.from([1, 65, 0, 0, 0, 0, 0, 0, 0, 9, 1]))).toThrow(RangeError);
});

test('chunks of the log can be opened from any position and again, but not with another secret or use', () => {
  const origin = randomBytes(16);
  const sealer = createSealer('secret', origin, 100, 'changes');
  const batches = [Buffer.alloc(150, 1), Buffer.alloc(10, 2)];
  const [first, second] = batches.map((batch) => sealer.seal(batch)) as [Buffer[], Buffer[]];
  const open = createLogOpener('secret');
  const opened = [...first, ...second, ...first, ...first.slice(1), ...second].map(open);
  expect(opened.filter((batch) => batch !== undefined)).toEqual([
    batches[0],
    batches[1],
    batches[0],
    batches[1],
  ]);
  expect(second.map(createLogOpener('other'))).toEqual([undefined]);
  expect(
    createSealer('secret', origin, 100)
      .seal(batches[1] as Buffer)
      .map(open),
  ).toEqual([undefined]);
});
