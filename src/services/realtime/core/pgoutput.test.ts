import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecoder } from './pgoutput.ts';

const int = (bytes: number, value: number | bigint): Buffer => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigUInt64BE(BigInt(value));
  else buffer.writeUIntBE(Number(value), 0, bytes);
  return buffer;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const relation = (oid: number, names: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from('R'),
    int(4, oid),
    text('public'),
    text('t'),
    Buffer.from('d'),
    int(2, names.length),
    ...names.flatMap((name, index) => [
      int(1, index === 0 ? 1 : 0),
      text(name),
      int(4, 25),
      int(4, 0xffffffff),
    ]),
  ]);
type Cell = string | null | undefined;
const row = (cells: readonly Cell[]): Buffer =>
  Buffer.concat([
    int(2, cells.length),
    ...cells.flatMap((cell) => {
      if (cell === undefined) return [Buffer.from('u')];
      if (cell === null) return [Buffer.from('n')];
      return [Buffer.from('t'), int(4, Buffer.byteLength(cell)), Buffer.from(cell)];
    }),
  ]);

test('begin and commit are decoded', () => {
  const decoder = createDecoder();
  const begin = Buffer.concat([Buffer.from('B'), int(8, 5n), int(8, 1_000_000n), int(4, 7)]);
  expect(decoder.decode(begin)).toEqual({
    kind: 'begin',
    finalLsn: 5n,
    commitMicros: 946_684_801_000_000n,
    xid: 7,
  });
  const commit = Buffer.concat([Buffer.from('C'), int(1, 0), int(8, 5n), int(8, 9n), int(8, 0n)]);
  expect(decoder.decode(commit)).toEqual({ kind: 'commit', endLsn: 9n });
});

test('rows are decoded unchanged', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 8 }), (cells) => {
      const decoder = createDecoder();
      decoder.decode(
        relation(
          42,
          cells.map((_, index) => `c${index}`),
        ),
      );
      const insert = decoder.decode(
        Buffer.concat([Buffer.from('I'), int(4, 42), Buffer.from('N'), row(cells)]),
      );
      expect(insert).toMatchObject({ kind: 'insert', row: cells });
      const update = decoder.decode(
        Buffer.concat([
          Buffer.from('U'),
          int(4, 42),
          Buffer.from('O'),
          row(cells),
          Buffer.from('N'),
          row(cells),
        ]),
      );
      expect(update).toMatchObject({ kind: 'update', row: cells, old: { whole: true, row: cells } });
    }),
  );
});

test('in a key tuple, only the key has known values', () => {
  const decoder = createDecoder();
  decoder.decode(relation(1, ['id', 'body']));
  expect(
    decoder.decode(Buffer.concat([Buffer.from('D'), int(4, 1), Buffer.from('K'), row(['7', null])])),
  ).toMatchObject({
    kind: 'delete',
    old: { whole: false, row: ['7', undefined] },
  });
});

test('rows of other relations aren’t decoded', () => {
  const decoder = createDecoder(() => false);
  decoder.decode(relation(1, ['id']));
  expect(
    decoder.decode(Buffer.concat([Buffer.from('I'), int(4, 1), Buffer.from('N broken')])),
  ).toBeUndefined();
});

test('bytes are decoded, ignored or rejected with a RangeError', () => {
  fc.assert(
    fc.property(fc.constantFrom(...'BCRIUDTOM'), fc.uint8Array({ maxLength: 80 }), (kind, bytes) => {
      const decoder = createDecoder();
      decoder.decode(relation(0, ['id']));
      try {
        decoder.decode(Buffer.concat([Buffer.from(kind), Buffer.from(bytes)]));
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
