import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../../errors.ts';
import { csvToJson } from './csv.ts';
import { contentType, type MediaType, mediaTypeName, readAccept, readMediaType } from './media-type.ts';
import { isTooDeep, readPayload } from './payload.ts';
import { preferenceApplied, readPreferences } from './preferences.ts';
import {
  ALL_ROWS,
  limitOffset,
  rangeHeader,
  rangeOf,
  rangeResponse,
  rowNumber,
  topLevelRange,
} from './range.ts';

describe('the Prefer header', () => {
  test('the first preference of a kind is used, and unknown ones are kept for strict handling', () => {
    const found = readPreferences(
      'return=minimal,  return=representation, count=none, tx=rollback, max-affected=3',
      false,
    );
    expect(found).toMatchObject({ return: 'minimal', maxAffected: 3, invalid: ['count=none'] });
    expect(found.tx).toBeUndefined();
  });

  test('applied preferences are listed in a fixed order', () => {
    const found = readPreferences(
      'handling=strict, count=exact, resolution=merge-duplicates, max-affected=3',
      true,
    );
    expect(preferenceApplied(found, () => true)).toBe(
      'resolution=merge-duplicates, count=exact, handling=strict, max-affected=3',
    );
    expect(preferenceApplied(found, () => false)).toBeUndefined();
  });

  test('parsing Preference-Applied returns the same preferences', () => {
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const preferences = fc.record({
      resolution: maybe(fc.constantFrom('merge-duplicates' as const, 'ignore-duplicates' as const)),
      missing: maybe(fc.constantFrom('default' as const, 'null' as const)),
      return: maybe(fc.constantFrom('representation' as const, 'minimal' as const, 'headers-only' as const)),
      count: maybe(fc.constantFrom('exact' as const, 'planned' as const, 'estimated' as const)),
      tx: maybe(fc.constantFrom('commit' as const, 'rollback' as const)),
      handling: fc.constant('strict' as const),
      timezone: maybe(fc.stringMatching(/^[A-Za-z0-9/+:_-]+$/)),
      maxAffected: maybe(fc.integer()),
    });
    fc.assert(
      fc.property(preferences, (given) => {
        const header = preferenceApplied({ ...given, invalid: [] }, () => true);
        expect({ ...given, ...readPreferences(header, true) }).toEqual({ ...given, invalid: [] });
      }),
    );
  });

  test('every text is parsed as preferences', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readPreferences(text, true).invalid).toBeInstanceOf(Array);
      }),
    );
  });
});

describe('row ranges', () => {
  test.each([
    [{ lower: 0, upper: undefined }, 3, undefined, 200, '0-2/*'],
    [{ lower: 0, upper: 2 }, 3, 10, 206, '0-2/10'],
    [{ lower: 10, upper: undefined }, 0, 10, 206, '*/10'],
    [{ lower: 11, upper: undefined }, 0, 10, 416, '*/10'],
    [{ lower: 0, upper: undefined }, 0, 0, 200, '*/0'],
  ])('%j with %i rows of %s: %i %s', (range, rows, total, status, contentRange) => {
    expect(rangeResponse(range, rows, total)).toEqual({ status, contentRange });
  });

  test('header and parameters are intersected, and an empty range is an error, but limit=0 isn’t', () => {
    expect(topLevelRange(rangeHeader('5-9'), rangeOf({ limit: 7 }, undefined))).toEqual({
      lower: 5,
      upper: 6,
    });
    expect(limitOffset(topLevelRange(ALL_ROWS, rangeOf({ limit: 0 }, undefined)), 1000)).toEqual({
      limit: 0,
      offset: 0,
    });
    expect(() => topLevelRange(rangeHeader('5-2'), ALL_ROWS)).toThrow(/not satisfiable/);
    expect(() => topLevelRange(ALL_ROWS, rangeOf({ limit: -1 }, undefined))).toThrow(/not satisfiable/);
  });

  test('parsing a printed header returns the same range, and every number is accepted', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.option(fc.maxSafeNat(), { nil: undefined }), (lower, upper) => {
        expect(rangeHeader(`${lower}-${upper ?? ''}`)).toEqual({ lower, upper });
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }), (number) => {
        const read = rowNumber(String(number));
        expect(Number.isFinite(read)).toBe(true);
        const isBigint = number < 2n ** 63n;
        expect(BigInt(read) < 2n ** 63n).toBe(isBigint);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void rangeHeader(text)));
  });

  test('the server’s row limit applies to every request', () => {
    expect(limitOffset(ALL_ROWS, 1000)).toEqual({ limit: 1000, offset: 0 });
    expect(limitOffset({ lower: 5, upper: 9 }, 3)).toEqual({ limit: 3, offset: 5 });
  });
});

describe('media types', () => {
  test.each([
    ['application/vnd.pgrst.object+json;nulls=stripped', { kind: 'object', stripped: true }],
    ['ApplicatIon/vnd.PgRsT.object', { kind: 'object', stripped: false }],
    ['application/vnd.pgrst.array+json', { kind: 'json' }],
    ['application/vnd.twkb', { kind: 'other', text: 'application/vnd.twkb' }],
  ])('%s', (text, expected) => expect(readMediaType(text)).toEqual(expected));

  test('a plan specifies the media type that it explains', () => {
    const type = readMediaType('application/vnd.pgrst.plan+json; for="text/csv"; options=verbose|analyze');
    expect(mediaTypeName(type)).toBe(
      'application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose',
    );
    expect(contentType(type)).toContain('; charset=utf-8');
  });

  test('parsing a printed media type returns the same media type', () => {
    const plain = fc.constantFrom('json', 'geojson', 'csv', 'text', 'xml', 'openapi', 'form', 'bytes', 'any');
    const type: fc.Arbitrary<MediaType> = fc.oneof(
      plain.map((kind) => ({ kind }) as MediaType),
      fc.record({ kind: fc.constant('object' as const), stripped: fc.boolean() }),
      fc.constant({ kind: 'array-stripped' as const }),
      fc.stringMatching(/^x-[a-z0-9]+\/[a-z0-9.+-]+$/).map((text) => ({ kind: 'other' as const, text })),
    );
    const plan = fc.record({
      kind: fc.constant('plan' as const),
      of: type,
      format: fc.constantFrom('text' as const, 'json' as const),
      options: fc.subarray(['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const),
    });
    fc.assert(
      fc.property(fc.oneof(type, plan), (given) => {
        expect(readMediaType(mediaTypeName(given))).toEqual(given);
      }),
    );
  });

  test('every text is parsed as a media type', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof contentType(readMediaType(text))).toBe('string');
        expect(readAccept(text)).toBeInstanceOf(Array);
      }),
    );
  });

  test('Accept is ordered by quality', () => {
    expect(readAccept('text/csv;q=0.5, application/json, */*;q=0.1').map(mediaTypeName)).toEqual([
      'application/json',
      'text/csv',
      '*/*',
    ]);
  });

  test('every text is parsed as media types', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readAccept(text)).toBeInstanceOf(Array);
      }),
    );
  });
});

describe('request payloads', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('JSON is validated but not changed', () => {
    const body = bytes('[{"b": 1, "a": 1e400}, {"a": 2, "b": 3}]');
    const payload = readPayload(body, { kind: 'json' }, 'table', undefined);
    expect(payload).toMatchObject({ keys: ['a', 'b'], isObject: false });
    expect(payload.body).toBe(body);
  });

  test.each(['[{"a":1},{"b":1}]', '[1]', '{', ''])('%s is rejected', (text) => {
    expect(() => readPayload(bytes(text), { kind: 'json' }, 'table', undefined)).toThrow(RestError);
  });

  test('in CSV, unquoted NULL is null, and quotes are removed', () => {
    const payload = readPayload(bytes('a,b\r\n1,NULL\n"x""y,\n",2\n'), { kind: 'csv' }, 'table', undefined);
    expect(JSON.parse(new TextDecoder().decode(payload.body))).toEqual([
      { a: '1', b: null },
      { a: 'x"y,\n', b: '2' },
    ]);
  });

  const readCsv = (text: string | Uint8Array) => {
    const table = csvToJson(typeof text === 'string' ? bytes(text) : text, 1_000_000);
    if (table.kind !== 'rows') return table;
    return JSON.parse(new TextDecoder().decode(table.json)) as unknown;
  };

  test('parsing printed CSV returns the same rows', () => {
    const cell = fc.string({ unit: 'grapheme' });
    const columns = fc.uniqueArray(cell, { minLength: 2, maxLength: 4 });
    const table = columns.chain((header) =>
      fc.tuple(
        fc.constant(header),
        fc.array(fc.array(cell, { minLength: header.length, maxLength: header.length })),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('', 'end'),
      ),
    );
    fc.assert(
      fc.property(table, ([header, rows, lineEnd, last]) => {
        const text = [header, ...rows]
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
          .join(lineEnd);
        expect(readCsv(text + (last === '' ? '' : lineEnd))).toEqual(
          rows.map((row) =>
            Object.fromEntries(
              header.map((name, place) => [name, row[place] === 'NULL' ? null : row[place]]),
            ),
          ),
        );
      }),
    );
  });

  test.each<[string, unknown]>([
    ['', { kind: 'fault', fault: 'not enough input' }],
    ['\n\r\n', { kind: 'fault', fault: 'not enough input' }],
    ['a,b', []],
    ['a,b\n', []],
    ['a,b\n1,', [{ a: '1', b: '' }]],
    ['a,b\n,', [{ a: '', b: '' }]],
    ['a,b\n\n1,2\n\n', [{ a: '1', b: '2' }]],
    ['a\n1\n""\n2', [{ a: '1' }, { a: '2' }]],
    ['a,b\n1', { kind: 'fault', fault: 'All lines must have same number of fields' }],
    ['a,b\n1,2,3', { kind: 'fault', fault: 'All lines must have same number of fields' }],
    ['a,b\n"1,2', { kind: 'fault', fault: 'Unterminated quoted field' }],
    ['a,b\n1\n"', { kind: 'fault', fault: 'Unterminated quoted field' }],
    ['a,b\n"x"y,z"z', [{ a: 'xy', b: 'z"z' }]],
    ['\ufeffa,a,b\n1,2,3', [{ a: '2', b: '3' }]],
    ['a,b,a\n1,2,3', [{ a: '3', b: '2' }]],
    ['__proto__,b\n1,NULLs', [JSON.parse('{"__proto__": "1", "b": "NULLs"}')]],
    ['a,b\n\\,\u0001\t', [{ a: '\\', b: '\u0001\t' }]],
  ])('parses the CSV %j', (text, expected) => {
    expect(readCsv(text)).toEqual(expected);
  });

  test('CSV that isn’t UTF-8 is decoded with replacement characters', () => {
    expect(readCsv(Uint8Array.from([0x61, 0x0a, 0xff, 0x62]))).toEqual([{ a: '\ufffdb' }]);
  });

  test('CSV that becomes too large as JSON, and large forms, are rejected', () => {
    const text = bytes(`${'n'.repeat(1000)}\n${'1\n'.repeat(1000)}`);
    expect(csvToJson(text, 1_000_000)).toEqual({ kind: 'too long' });
    expect(csvToJson(text, 1_010_000)).toMatchObject({ kind: 'rows', count: 1000 });
    const form = (body: Uint8Array) => () => readPayload(body, { kind: 'form' }, 'function', undefined);
    expect(form(new Uint8Array(17 * 1024 * 1024).fill(0x61))).toThrow(/too large/);
    expect(form(bytes('a=1&'.repeat(10_000)))).toThrow(/too large/);
    expect(form(bytes('a=1&'.repeat(9_999)))().form).toHaveLength(9_999);
  });

  test('large CSV uses only the memory of the resulting JSON', () => {
    const text = bytes(`id,name\n${'1,"some ""text"" in it"\n'.repeat(500_000)}`);
    const before = process.memoryUsage().rss;
    const table = csvToJson(text, 100_000_000);
    const grown = process.memoryUsage().rss - before;
    expect(table).toMatchObject({ kind: 'rows', count: 500_000 });
    expect(grown).toBeLessThan(3 * (table.kind === 'rows' ? table.json.length : 0));
  });

  test('parsing a printed form returns the same fields', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (fields) => {
        const body = bytes(new URLSearchParams(fields).toString());
        const { form } = readPayload(body, { kind: 'form' }, 'function', undefined);
        expect(form).toEqual(fields);
      }),
    );
  });

  test('a body that is nested too deeply for PostgreSQL’s stack is detected', () => {
    expect(isTooDeep(bytes('['.repeat(1001)))).toBe(true);
    expect(isTooDeep(bytes(`${'['.repeat(1000)}${']'.repeat(1000)}`))).toBe(false);
    expect(isTooDeep(bytes(`["${'['.repeat(5000)}\\"${'{'.repeat(5000)}"]`))).toBe(false);
    expect(isTooDeep(bytes('[]'.repeat(5000)))).toBe(false);
  });

  test('bytes are either parsed as a payload or rejected with PGRST102, or with 22021 for NUL', () => {
    const types = fc.constantFrom(
      { kind: 'json' } as const,
      { kind: 'csv' } as const,
      { kind: 'form' } as const,
    );
    fc.assert(
      fc.property(
        fc.uint8Array(),
        types,
        fc.constantFrom('table' as const, 'function' as const),
        (body, type, target) => {
          try {
            readPayload(body, type, target, undefined);
          } catch (error) {
            const hasNul = type.kind === 'form' && /\0|%00/.test(Buffer.from(body).toString('latin1'));
            expect(hasNul ? ['PGRST102', '22021'] : ['PGRST102']).toContain((error as RestError).code);
          }
        },
      ),
    );
  });
});
