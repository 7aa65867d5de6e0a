import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowStore } from '../../types.ts';
import { type Cells, JoinedRows, SpilledRows } from './spilled-rows.ts';

const cell = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
const row = fc.array(cell, { minLength: 3, maxLength: 5 });

function encode(cells: Cells): Buffer {
  const parts = cells.flatMap((one) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(one === null ? -1 : one.length);
    return one === null ? [length] : [length, one];
  });
  return Buffer.concat([Buffer.from([0, cells.length]), ...parts]);
}

/** Returns a store that keeps up to `roomBytes` bytes in memory and records the writes. */
function noteStore(
  roomBytes: number,
): RowStore & { readonly written: Buffer[]; readonly announced: number[] } {
  const written: Buffer[] = [];
  const announced: number[] = [];
  return {
    written,
    announced,
    cells: 0,
    sizeBytes: 0,
    failure: undefined,
    keep: (sizeBytes) => (sizeBytes <= roomBytes ? roomBytes : undefined),
    begin(sizeBytes) {
      announced.push(sizeBytes);
      written.push(Buffer.alloc(0));
    },
    write(buffer, start, end) {
      written.push(Buffer.concat([written.pop() ?? Buffer.alloc(0), buffer.subarray(start, end)]));
    },
    finish: async () => {},
    async *chunks() {},
    free() {},
  };
}

const EMPTY = Buffer.alloc(0);

test('a row that arrives in pieces is read like a whole row, with one cell in a file and the others in memory', () => {
  fc.assert(
    fc.property(
      row,
      fc.nat(2),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (cells, column, cuts) => {
        const body = encode(cells);
        const whole: Cells[] = [];
        const wholeStore = noteStore(0);
        new SpilledRows(whole, () => whole.splice(0), column, wholeStore).add(body, 0);
        const chunks: Cells[] = [];
        const store = noteStore(0);
        const message = new SpilledRows(chunks, () => chunks.splice(0), column, store).receive();
        for (let offset = 0, turn = 0; offset < body.length; turn++) {
          const until = Math.min(offset + (cuts[turn % cuts.length] as number), body.length);
          message.push(body, offset, until);
          offset = until;
        }
        message.end();
        const stored = cells[column] ?? EMPTY;
        expect(store.written).toEqual([stored]);
        expect(store.announced).toEqual([stored.length]);
        expect(wholeStore.written).toEqual(store.written);
        const others = cells.map((one, index) => (index === column ? EMPTY : one));
        expect(whole).toEqual([others]);
        const nulled = chunks[0]?.map((one, index) => (index === column ? EMPTY : one));
        expect(nulled).toEqual(others);
      },
    ),
  );
});

test('if too many single-cell rows arrive, all of them are stored in a file', () => {
  const store = noteStore(10);
  const rows: Cells[] = [[Buffer.from('one')], [Buffer.from('two')]];
  const spilled = new SpilledRows(rows, () => rows.splice(0), 0, store);
  expect(spilled.room(6)).toBe(10);
  expect(store.written).toEqual([]);
  expect(spilled.room(11)).toBe(0);
  spilled.add(encode([Buffer.from('three')]), 0);
  expect(store.written.map(String)).toEqual(['one', 'two', 'three']);
  expect(rows).toEqual([]);
  expect(spilled.room(1)).toBe(0);
});

function dataRow(cell: string): Buffer {
  const bytes = Buffer.from(cell);
  const message = Buffer.alloc(11 + bytes.length);
  message.write('D');
  message.writeInt32BE(10 + bytes.length, 1);
  message.writeInt16BE(1, 5);
  message.writeInt32BE(bytes.length, 7);
  bytes.copy(message, 11);
  return message;
}

/** Joins rows that arrive in chunks. Each chunk contains only complete messages. */
function join(chunks: readonly (readonly string[])[], separator: string): string {
  const joined = new JoinedRows(Buffer.from(separator));
  for (const cells of chunks) {
    const rows = cells.map(dataRow);
    const chunk = Buffer.concat(rows);
    let offset = 0;
    for (const { length } of rows) {
      joined.add(chunk, offset + 5, offset + length);
      offset += length;
    }
  }
  return joined
    .take()
    .map(([chunk]) => String(chunk))
    .join(separator);
}

test('rows are joined regardless of size, separator and chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 })),
      fc.string({ maxLength: 11, unit: 'grapheme-ascii' }),
      (chunks, separator) => {
        expect(join(chunks, separator)).toBe(chunks.flat().join(separator));
      },
    ),
  );
});

test('bytes after the rows aren’t changed', () => {
  const rows = [dataRow('{"a":1}'), dataRow('{"b":2}')];
  const chunk = Buffer.concat([...rows, Buffer.from('C-the-next-message')]);
  const joined = new JoinedRows(Buffer.from(',          '));
  joined.add(chunk, 5, 18);
  joined.add(chunk, 23, 36);
  expect(String(joined.take()[0]?.[0])).toBe('{"a":1},          {"b":2}');
  expect(chunk.subarray(36).toString()).toBe('C-the-next-message');
});

test('a separator that doesn’t fit is rejected', () => {
  expect(() => new JoinedRows(Buffer.alloc(12))).toThrow(RangeError);
});
