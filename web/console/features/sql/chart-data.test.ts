import { expect, test } from 'vitest';
import { chartData, defaultChart, fittingChart } from './chart-data.ts';

const columns = [
  { name: 'day', type: 'timestamp with time zone' },
  { name: 'name', type: 'text' },
  { name: 'count', type: 'bigint' },
  { name: 'price', type: 'numeric(10,2)' },
  { name: 'list', type: 'integer[]' },
];

test('a new chart uses the first time column for the x axis and draws the first number columns', () => {
  expect(defaultChart(columns)).toEqual({ kind: 'line', x: 'day', y: ['count', 'price'] });
  expect(defaultChart(columns.slice(1))).toEqual({ kind: 'bar', x: 'name', y: ['count', 'price'] });
  expect(defaultChart(columns.slice(0, 2))).toBeUndefined();
  expect(defaultChart([])).toBeUndefined();
});

test('a stored choice keeps only columns that the result has', () => {
  expect(fittingChart({ kind: 'bar', x: 'name', y: ['gone', 'count', 'list'] }, columns)).toEqual({
    kind: 'bar',
    x: 'name',
    y: ['count'],
  });
  expect(fittingChart({ kind: 'bar', x: 'gone', y: ['count'] }, columns)).toBeUndefined();
});

test('times are sorted, and values that aren’t numbers are missing', () => {
  const rows = [
    ['2026-01-02 00:00:00+00', 'b', '2', 'NaN', null],
    ['2026-01-01 01:00:00.5+01', 'a', '1', '1.50', null],
    [null, 'c', '3', '1', null],
    ['infinity', 'd', '4', '1', null],
  ];
  const data = chartData({ kind: 'line', x: 'day', y: ['count', 'price'] }, columns, rows);
  expect(data.scale).toBe('time');
  expect(data.x).toEqual([Date.UTC(2026, 0, 1) / 1000 + 0.5, Date.UTC(2026, 0, 2) / 1000]);
  expect(data.series.map(({ values }) => values)).toEqual([
    [1, 2],
    [1.5, null],
  ]);
});

test('categories keep the order of the rows', () => {
  const rows = [
    [null, 'b', '2', null, null],
    [null, 'a', '1', null, null],
  ];
  const data = chartData({ kind: 'bar', x: 'name', y: ['count'] }, columns, rows);
  expect([data.scale, data.labels, data.x]).toEqual(['category', ['b', 'a'], [0, 1]]);
});
