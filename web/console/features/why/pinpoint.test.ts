import { expect, test } from 'vitest';
import type { AccessReport, Judged } from './api.ts';
import { causesOf } from './pinpoint.ts';

const rows = (from: string, matched: number, hidden: number, ...conditions: [string, number][]) => ({
  from,
  total: 9,
  matched,
  hidden,
  isCut: false,
  conditions: conditions.map(([text, alone]) => ({ text, matched: alone, operands: [] })),
  rows: [],
});
const leaf = (value: boolean, more: object = {}): Judged => ({
  kind: 'test',
  text: 'x',
  value,
  error: null,
  operands: [],
  rows: [],
  calls: [],
  ...more,
});
const report = (...trees: Judged[]): Pick<AccessReport, 'explanation' | 'gates'> => ({
  explanation: { verdict: 'hidden', reason: 'policy', gate: 0 },
  gates: [
    {
      clause: 'using',
      command: 'select',
      row: 'old',
      effect: 'hides',
      relation: { schema: 'public', name: 't' },
      role: 'authenticated',
      passes: false,
      policies: trees.map((tree) => ({
        name: 'p',
        permissive: true,
        command: 'select',
        roles: [],
        applies: true,
        functions: [],
        value: tree.value,
        error: null,
        tree,
      })),
    },
  ],
});

test('subselects without a row are found, even inside functions', () => {
  const inner = leaf(false, { rows: [rows('members m', 0, 0, ['m.org = 2', 3], ["m.role = 'x'", 0])] });
  const call = { value: 'false', tree: inner, rows: [], calls: [] };
  const tree: Judged = {
    kind: 'or',
    text: '',
    value: false,
    error: null,
    parts: [
      leaf(false, { calls: [call] }),
      leaf(false, { rows: [rows('shy', 0, 2)] }),
      leaf(true, { rows: [rows('no', 0, 0)] }),
    ],
  };
  expect(causesOf(report(tree, tree))).toEqual([
    { from: 'members m', condition: "m.role = 'x'", hidden: 0 },
    { from: 'shy', condition: undefined, hidden: 2 },
  ]);
  expect(causesOf(report(leaf(false)))).toEqual([]);
});
