import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { folderPrefix, pageOf } from './listing.ts';

const name = fc.stringMatching(/^[A-Za-z0-9_/!.*'() &$=@;:+,?-]{1,40}$/);

test('what is encoded is read back', () => {
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

test('upstream’s own form is understood', () => {
  const text = Buffer.from('l:a/b.txt\no:desc\nc:created_at\na:2026-01-02T03:04:05.678Z').toString('base64');
  expect(decodeCursor(text)).toEqual({
    startAfter: 'a/b.txt',
    order: 'desc',
    column: 'created_at',
    columnAfter: '2026-01-02T03:04:05.678Z',
  });
});

test.each(['x', 'l:a\nz:b', 'l:a\no:sideways', 'l:a\nc:owner', "l:a\na:' or 1=1", 'l:a\0b'])(
  '%j is no cursor',
  (plain) => {
    expect(decodeCursor(Buffer.from(plain).toString('base64'))).toBeUndefined();
  },
);

test('any text is a cursor or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const cursor = decodeCursor(text);
      if (cursor) expect(typeof cursor.startAfter).toBe('string');
    }),
  );
});

test('prefixes of folders end with a slash', () => {
  expect(['', 'a', 'a/', 'a/b'].map(folderPrefix)).toEqual(['', 'a/', 'a/', 'a/b/']);
});

const line = (lineName: string, id: string | null) => ({
  name: lineName,
  id,
  created_at: id && '2026-01-02T03:04:05.678Z',
  updated_at: null,
});

test('a page tells whether there is a next one and where it begins', () => {
  const lines = [line('a', null), line('b', '1'), line('c', '2')];
  const page = pageOf(lines, 1, undefined, undefined);
  expect(page.hasNext).toBe(true);
  expect(page.folders.map((folder) => folder.name)).toEqual(['a/']);
  expect(page.objects).toEqual([]);
  expect(decodeCursor(page.nextCursor ?? '')?.startAfter).toBe('a/');
  expect(pageOf(lines, 3, undefined, undefined)).toMatchObject({ hasNext: false });
});

test('by date the cursor holds the date', () => {
  const page = pageOf([line('b', '1'), line('c', '2')], 1, 'created_at', 'desc');
  expect(decodeCursor(page.nextCursor ?? '')).toEqual({
    startAfter: 'b',
    order: 'desc',
    column: 'created_at',
    columnAfter: '2026-01-02T03:04:05.678Z',
  });
});
