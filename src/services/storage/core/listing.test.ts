import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RawRow } from '../../../platform/database/types.ts';
import { decodeCursor, type SortColumn, type SortOrder } from './cursor.ts';
import { folderPrefix, LinesWriter, PageWriter } from './listing.ts';
import { isoTimestamp } from './timestamps.ts';

interface Line {
  readonly key?: string | undefined;
  readonly name: string;
  readonly id: string | null;
  readonly updated_at: string | null;
  readonly created_at: string | null;
  readonly last_accessed_at: string | null;
  /** The metadata as JSON text in PostgreSQL's format. */
  readonly metadata: string | null;
}

const cellsOf = ({ key, name, id, updated_at, created_at, last_accessed_at, metadata }: Line) => [
  ...(key === undefined ? [] : [key]),
  name,
  id,
  updated_at,
  created_at,
  last_accessed_at,
  metadata,
];

/** Returns a row as the connection receives it. The cells of the row are at arbitrary offsets in a shared chunk. */
function rowOf(line: Line): RawRow {
  const cells = cellsOf(line).map((cell) => (cell === null ? null : Buffer.from(cell)));
  const parts: Buffer[] = [];
  let size = 0;
  const places = cells.map((cell) => {
    const before = Buffer.from('"+00');
    const start = size + before.length;
    parts.push(before, cell ?? Buffer.alloc(0));
    size = start + (cell?.length ?? 0);
    return cell === null ? { start: -1, end: -1 } : { start, end: size };
  });
  const buffer = Buffer.concat([...parts, Buffer.from('+00')]);
  const place = (column: number) => places[column] ?? { start: -1, end: -1 };
  return {
    buffer,
    start: (column) => place(column).start,
    end: (column) => place(column).end,
    text: (column) => cells[column]?.toString() ?? null,
  };
}

/** Returns the expected JSON for a line. */
function shown(line: Line, name = line.name): string {
  const { key, id, metadata } = line;
  const dated = {
    updated_at: isoTimestamp(line.updated_at),
    created_at: isoTimestamp(line.created_at),
    last_accessed_at: isoTimestamp(line.last_accessed_at),
  };
  const start = JSON.stringify({ ...(key === undefined ? {} : { key }), name, id, ...dated }).slice(0, -1);
  return `${start},"metadata":${metadata ?? 'null'}}`;
}

const text = fc.string({ unit: 'binary', maxLength: 60 }).map((some) => some.toWellFormed());
const timestamp = fc.oneof(
  fc.constantFrom(
    '2026-11-21 04:10:36+00',
    '2026-11-21 04:10:36.1+00',
    '2026-11-21 04:10:36.12+00',
    '2026-11-21 04:10:36.123456+00',
    '0044-03-15 00:00:00+00 BC',
    '12026-01-01 00:00:00+00',
    'infinity',
    '-infinity',
  ),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
    .map((date) => date.toISOString().replace('T', ' ').replace('Z', '+00')),
);
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const line = (hasKey: boolean): fc.Arbitrary<Line> =>
  fc.record({
    key: hasKey ? text : fc.constant(undefined),
    name: text,
    id: orNull(fc.uuid()),
    updated_at: orNull(timestamp),
    created_at: orNull(timestamp),
    last_accessed_at: orNull(timestamp),
    metadata: orNull(fc.json()),
  });
/** The chunks are small so that tokens extend across chunk boundaries. */
const chunks = fc.integer({ min: 64, max: 300 }).map((size) => () => Buffer.alloc(size, '#'));

function bodyOf(writer: LinesWriter | PageWriter, lines: readonly Line[]): string {
  for (const one of lines) writer.add(rowOf(one));
  return Buffer.concat(writer.end()).toString();
}

test('folder prefixes end with a slash', () => {
  expect(['', 'a', 'a/', 'a/b'].map(folderPrefix)).toEqual(['', 'a/', 'a/', 'a/b/']);
});

test('list v1 has the same output as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.array(line(false), { maxLength: 8 }), chunks, (lines, take) => {
      expect(bodyOf(new LinesWriter(take), lines)).toBe(`[${lines.map((one) => shown(one)).join()}]`);
    }),
  );
});

test('list v2 has the same output as JSON.stringify', () => {
  const columns = fc.constantFrom<SortColumn | undefined>('name', 'created_at', 'updated_at', undefined);
  const orders = fc.constantFrom<SortOrder | undefined>('asc', 'desc', undefined);
  const listed = fc
    .boolean()
    .chain((hasKeys) =>
      fc.record({ hasKeys: fc.constant(hasKeys), lines: fc.array(line(hasKeys), { maxLength: 8 }) }),
    );
  const limits = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(listed, limits, columns, orders, chunks, ({ lines, hasKeys }, limit, column, order, take) => {
      const some = lines.slice(0, limit + 1);
      const body = bodyOf(new PageWriter({ limit, column, order, hasKeys }, take), some);
      const page = some.slice(0, limit);
      const folders = page.filter(({ id }) => id === null).map((one) => shown(one, `${one.name}/`));
      const objects = page.filter(({ id }) => id !== null).map((one) => shown(one));
      const { hasNext, nextCursor, nextCursorKey } = JSON.parse(body);
      const head = JSON.stringify({ hasNext, nextCursor, nextCursorKey }).slice(0, -1);
      expect(body).toBe(`${head},"folders":[${folders.join()}],"objects":[${objects.join()}]}`);
      expect(hasNext).toBe(some.length > limit);
      expect(nextCursorKey).toBe(hasNext ? page.at(-1)?.name : undefined);
      expect(typeof nextCursor).toBe(hasNext ? 'string' : 'undefined');
    }),
  );
});

const plain = (name: string, id: string | null): Line => ({
  name,
  id,
  created_at: id && '2026-01-02 03:04:05.678901+00',
  updated_at: null,
  last_accessed_at: null,
  metadata: null,
});

test('a page specifies whether there is a next page and where it begins', () => {
  const lines = [plain('a', null), plain('b', '1'), plain('c', '2')];
  const pageOf = (limit: number) => {
    const options = { limit, column: undefined, order: undefined, hasKeys: false };
    return JSON.parse(bodyOf(new PageWriter(options, () => Buffer.alloc(64)), lines));
  };
  const page = pageOf(1);
  expect(page).toMatchObject({ hasNext: true, nextCursorKey: 'a', folders: [{ name: 'a/' }], objects: [] });
  expect(decodeCursor(page.nextCursor)?.startAfter).toBe('a/');
  expect(pageOf(3)).toMatchObject({ hasNext: false });
});

test('if sorted by date, the cursor contains the date', () => {
  const options = { limit: 1, column: 'created_at', order: 'desc', hasKeys: false } as const;
  const writer = new PageWriter(options, () => Buffer.alloc(64));
  const { nextCursor } = JSON.parse(bodyOf(writer, [plain('b', '1'), plain('c', '2')]));
  expect(decodeCursor(nextCursor)).toEqual({
    startAfter: 'b',
    order: 'desc',
    column: 'created_at',
    columnAfter: '2026-01-02T03:04:05.678Z',
  });
});
