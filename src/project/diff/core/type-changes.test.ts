import { expect, test } from 'vitest';
import { canLoseData } from './type-changes.ts';

test.each([
  ['integer', 'bigint'],
  ['uuid', 'text'],
  ['character varying(20)', 'character varying(40)'],
  ['character varying(20)', 'character varying'],
  ['integer[]', 'text'],
  ['integer[]', 'bigint[]'],
  ['numeric(10,2)', 'numeric(12,4)'],
  ['numeric(10,2)', 'numeric'],
  ['timestamp(3) with time zone', 'timestamp with time zone'],
  ['json', 'jsonb'],
])('changing %s to %s keeps the data', (from, to) => {
  expect(canLoseData(from, to)).toBe(false);
});

test.each([
  ['bigint', 'integer'],
  ['bigint', 'double precision'],
  ['text', 'character varying(20)'],
  ['character varying(20)', 'character varying(5)'],
  ['numeric(10,2)', 'numeric(10,4)'],
  ['numeric', 'numeric(10,2)'],
  ['timestamp with time zone', 'timestamp(0) with time zone'],
  ['timestamp with time zone', 'date'],
  ['integer', 'numeric(3,0)'],
  ['text', 'text[]'],
  ['text', 'app.mood'],
])('changing %s to %s can lose data', (from, to) => {
  expect(canLoseData(from, to)).toBe(true);
});
