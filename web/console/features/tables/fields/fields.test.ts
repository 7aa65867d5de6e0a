import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Column } from '../../../api/types.ts';
import { parseArray, printArray } from './array-text.ts';
import { checkDraft, checkText } from './check.ts';
import { indentJson, jsonProblem } from './json-text.ts';
import { kindOf } from './kinds.ts';
import { atZone, inZone, parseMoment, parseTime, printMoment } from './moments.ts';

const column = (type: string, more: Partial<Column> = {}): Column => ({
  name: 'c',
  type,
  nullable: true,
  default: null,
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
  ...more,
});

test.each([
  ['timestamp(3) with time zone', 'timestamp'],
  ['time without time zone', 'time'],
  ['timestamp with time zone[]', 'array'],
  ['numeric(6,2)', 'number'],
  ['interval', 'text'],
  ['character varying(20)', 'text'],
  ['jsonb', 'json'],
])('%s has the kind %s', (type, kind) => {
  expect(kindOf(column(type))).toBe(kind);
});

describe('the check of a field', () => {
  test.each([
    ['smallint', '32768', 'check.range'],
    ['bigint', '9223372036854775807', undefined],
    ['bigint', '9223372036854775808', 'check.range'],
    ['integer', '1.5', 'check.integer'],
    ['integer', '0x1F', undefined],
    ['integer', '1_000', undefined],
    ['integer', '', 'check.required'],
    ['numeric', '12345678901234567890.5', undefined],
    ['double precision', '-Infinity', undefined],
    ['real', 'one', 'check.number'],
    ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', undefined],
    ['uuid', '{a0eebc999c0b4ef8bb6d6bb9bd380a11}', undefined],
    ['uuid', 'a0eebc99', 'check.uuid'],
    ['date', '2026-02-29', 'check.date'],
    ['date', '2028-02-29', undefined],
    ['date', 'infinity', undefined],
    ['date', 'March 1, 2026', undefined],
    ['time without time zone', '25:00', 'check.time'],
    ['timestamp with time zone', '2026-03-01 12:00:00.123456+05:30', undefined],
    ['timestamp without time zone', '1.3.2026', 'check.timestamp'],
    ['jsonb', '{"a": }', 'check.json'],
    ['bytea', '\\x686', 'check.bytes'],
    ['bytea', '\\x6869', undefined],
    ['character varying(3)', '🙂🙂🙂', undefined],
    ['character varying(3)', 'long', 'check.length'],
    ['integer[]', '{1,2}', undefined],
    ['integer[]', '{1,x}', 'check.item'],
    ['integer[]', '{{1},{2}}', undefined],
    ['integer[]', '1,2', 'check.array'],
    ['inet', 'anything', undefined],
  ])('%s with %j: %s', (type, text, id) => {
    expect(checkText(column(type), text)?.id).toBe(id);
  });

  test('a required column must have a value, unless it has a default or a trigger can set it', () => {
    const required = column('text', { nullable: false });
    expect(checkDraft(required, { missing: true })?.id).toBe('check.required');
    expect(checkDraft(required, { missing: true }, true)).toBeUndefined();
    expect(checkDraft(required, { value: null })?.id).toBe('check.required');
    expect(checkDraft(required, { value: '' })).toBeUndefined();
    expect(checkDraft(required, { default: true })).toBeUndefined();
  });
});

test('arrays are parsed and printed as in PostgreSQL', () => {
  expect(parseArray('{}')).toEqual([]);
  expect(parseArray('{a, "b c" ,NULL,"NULL","q\\"\\\\"}')).toEqual(['a', 'b c', null, 'NULL', 'q"\\']);
  for (const invalid of ['', '{', '{a', '{a,}', '{{a}}', '[0:1]={a,b}', '{"a"b}', '{a"b"}'])
    expect([invalid, parseArray(invalid)]).toEqual([invalid, undefined]);
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'grapheme' }))), (items) => {
      expect(parseArray(printArray(items))).toEqual(items);
    }),
  );
});

test('every text is either parsed as an array or rejected without an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '"', ',', '\\', 'a', ' ') }), (text) => {
      const items = parseArray(text);
      if (items !== undefined) expect(parseArray(printArray(items))).toEqual(items);
    }),
  );
});

describe('dates and times', () => {
  test('keep every digit and their offset', () => {
    for (const text of [
      '2026-03-01 12:34:56.123456+00',
      '2026-03-01 12:34:56-03:30',
      '2026-03-01 00:00:00',
      '0001-01-01 00:00:00.5+05:45',
    ]) {
      const parsed = parseMoment(text);
      expect(parsed && printMoment(parsed)).toBe(text);
    }
    expect(parseMoment('infinity')).toBeUndefined();
    expect(parseMoment('2026-02-30 10:00')).toBeUndefined();
    expect(parseTime('14:30')).toMatchObject({ hour: 14, minute: 30, second: 0, offset: undefined });
  });

  test('the same instant is shown in UTC, even on a different day', () => {
    const moment = parseMoment('2026-01-01 00:30:00.000001+02');
    expect(moment && printMoment(inZone(moment, 'utc'))).toBe('2025-12-31 22:30:00.000001+00');
  });

  test('a local date and time is the instant at which local clocks show it', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), (date) => {
        const local = {
          year: date.getFullYear(),
          month: date.getMonth() + 1,
          day: date.getDate(),
          hour: 12,
          minute: 30,
          second: 0,
          fraction: '25',
        };
        expect(inZone(atZone(local, 'local'), 'local')).toMatchObject(local);
      }),
    );
  });
});

test('formatted JSON keeps its numbers', () => {
  expect(indentJson('{"a":1.10,"b":12345678901234567890}')).toBe(
    '{\n  "a": 1.10,\n  "b": 12345678901234567890\n}',
  );
  expect(indentJson('{"a":')).toBe('{"a":');
  expect(jsonProblem('[1]')).toBeUndefined();
  expect(jsonProblem('[1')).toBeTypeOf('string');
});
