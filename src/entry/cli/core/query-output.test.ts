import { expect, test } from 'vitest';
import { type QueryResult, renderForAgent, renderRows } from './query-output.ts';

const result: QueryResult = {
  columns: [
    { name: 'id', typeOid: 20 },
    { name: 'title', typeOid: 25 },
    { name: 'done', typeOid: 16 },
    { name: 'data', typeOid: 3802 },
    { name: 'price', typeOid: 1700 },
  ],
  rows: [
    ['9007199254740993', 'a "b", c', 't', '{"x": [1]}', '1.50'],
    ['2', null, 'f', null, 'NaN'],
  ],
};

test('a table', () => {
  expect(renderRows(result, 'table')).toBe(
    [
      '┌──────────────────┬──────────┬──────┬────────────┬───────┐',
      '│        id        │  title   │ done │    data    │ price │',
      '├──────────────────┼──────────┼──────┼────────────┼───────┤',
      '│ 9007199254740993 │ a "b", c │ t    │ {"x": [1]} │ 1.50  │',
      '│ 2                │ NULL     │ f    │ NULL       │ NaN   │',
      '└──────────────────┴──────────┴──────┴────────────┴───────┘',
    ].join('\n'),
  );
});

test('a cell can have several lines but no escape sequences', () => {
  const odd = { columns: [{ name: 'x', typeOid: 25 }], rows: [['a\nbc\u001b[2J']] };
  expect(renderRows(odd, 'table').split('\n').slice(3, 5)).toEqual(['│ a      │', '│ bc�[2J │']);
});

test('numbers in JSON keep all digits', () => {
  const text = renderRows(result, 'json');
  expect(text).toContain('  {\n    "id": 9007199254740993,\n    "title": "a \\"b\\", c",\n');
  expect(JSON.parse(text)).toEqual([
    { id: 9007199254740992, title: 'a "b", c', done: true, data: { x: [1] }, price: 1.5 },
    { id: 2, title: null, done: false, data: null, price: 'NaN' },
  ]);
  expect(renderRows({ ...result, rows: [] }, 'json')).toBe('[]');
  const agent = JSON.parse(renderForAgent(result, 'm4rk')) as {
    warning: string;
    boundary: string;
    rows: unknown;
  };
  expect(agent).toMatchObject({ boundary: 'm4rk', rows: JSON.parse(text) });
  expect(agent.warning).toContain('<m4rk>');
});

test('CSV', () => {
  expect(renderRows(result, 'csv')).toBe(
    'id,title,done,data,price\n9007199254740993,"a ""b"", c",t,"{""x"": [1]}",1.50\n2,NULL,f,NULL,NaN',
  );
});
