import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

const name = fc.stringMatching(/^[A-Za-z0-9_/!.*'() &$=@;:+,?-]{1,40}$/);

test('decoding an encoded cursor returns the same cursor', () => {
  fc.assert(
    fc.property(
      name,
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom('name' as const, 'created_at' as const, 'updated_at' as const, undefined),
      fc.option(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }), {
        nil: undefined,
      }),
      (startAfter, order, column, date) => {
        const cursor = { startAfter, order, column, columnAfter: date?.toISOString() };
        expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
      },
    ),
  );
});

test('upstream’s format is accepted', () => {
  const text = Buffer.from('l:a/b.txt\no:desc\nc:created_at\na:2026-01-02T03:04:05.678Z').toString('base64');
  expect(decodeCursor(text)).toEqual({
    startAfter: 'a/b.txt',
    order: 'desc',
    column: 'created_at',
    columnAfter: '2026-01-02T03:04:05.678Z',
  });
});

test.each(['x', 'l:a\nz:b', 'l:a\no:sideways', 'l:a\nc:owner', "l:a\na:' or 1=1", 'l:a\0b'])(
  '%j isn’t a cursor',
  (plain) => {
    expect(decodeCursor(Buffer.from(plain).toString('base64'))).toBeUndefined();
  },
);

test('text is either decoded as a cursor or rejected', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const cursor = decodeCursor(text);
      if (cursor) expect(typeof cursor.startAfter).toBe('string');
    }),
  );
});
