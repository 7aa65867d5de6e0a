import { expect, test } from 'vitest';
import { reportCsv } from './report-csv.ts';

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
