import { expect, test } from 'vitest';
import type { Report } from '../../../platform/database/index.ts';
import { reportCsv, reportTable } from './inspect-report.ts';

const report: Report = {
  name: 'example',
  columns: [
    { field: 'table', label: 'Table', kind: 'text' },
    { field: 'size', label: 'Size', kind: 'bytes' },
    { field: 'rows', label: 'Rows', kind: 'count' },
    { field: 'took', label: 'Took', kind: 'ms' },
    { field: 'hits', label: 'Hits', kind: 'share' },
    { field: 'used', label: 'Used', kind: 'text' },
  ],
  rows: [
    { table: 'public.notes', size: 1536, rows: 12_345, took: 1.234, hits: 0.5, used: true },
    { table: 'x'.repeat(100), size: 12, rows: 1, took: 5_400_000, hits: null, used: false },
  ],
};

test('numbers are right-aligned, long texts are truncated, and missing values are empty', () => {
  expect(reportTable(report, 14).split('\n')).toEqual([
    'Table              Size    Rows     Took   Hits  Used',
    'public.notes    1.5 KiB  12,345  1.23 ms  50.0%  yes',
    'xxxxxxxxxxxxx…     12 B       1    1.5 h         no',
  ]);
});

test('a report without rows contains only a heading', () => {
  expect(reportTable({ ...report, rows: [] })).toBe('Table  Size  Rows  Took  Hits  Used');
});

test('control characters in statements don’t reach the terminal', () => {
  const table = 'a\u001b[2J\u009bb\u0007';
  expect(reportTable({ ...report, rows: [{ table }] })).toContain('a\ufffd[2J\ufffdb\ufffd');
});

test('cells with separators are quoted, and missing values are empty, and formulas are neutralized', () => {
  const columns = ['query', 'calls', 'rows'].map((field) => ({ field, label: field, kind: 'text' as const }));
  const rows = [
    { query: 'select "a",\n1', calls: 2, rows: null },
    { query: 'plain', calls: 0, rows: -1.5 },
    { query: '=cmd|x', calls: 0, rows: 0 },
  ];
  expect(reportCsv({ name: 'slow', columns, rows })).toBe(
    'query,calls,rows\r\n"select ""a"",\n1",2,\r\nplain,0,-1.5\r\n\'=cmd|x,0,0\r\n',
  );
});
