import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JoinedRows } from './joined-rows.ts';

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
