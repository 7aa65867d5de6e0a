import { describe, expect, test } from 'vitest';
import type { AccessReport, Judged } from './api.ts';
import { causesOf, nearMisses } from './pinpoint.ts';

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

describe('the headline names the policies that came closest', () => {
  const part = (kind: 'and' | 'or', value: boolean, ...parts: Judged[]): Judged => ({
    kind,
    text: '',
    value,
    error: null,
    parts,
  });
  const no = (text: string, more: object = {}): Judged => ({ ...leaf(false, more), text });
  const yes = leaf(true);
  const near = (
    policies: Record<string, Judged>,
    reason: 'policy' | 'restrictive' | 'no-policy' = 'policy',
  ): [string, ...string[]][] => {
    const { gates } = report(...Object.values(policies));
    const [gate] = gates;
    const named = Object.keys(policies).map((name, index) => ({
      ...(gate?.policies[index] as object),
      name,
      permissive: !name.startsWith('restrictive'),
    }));
    return nearMisses({
      explanation: { verdict: 'hidden', reason, gate: 0 },
      gates: [{ ...gate, policies: named }] as unknown as AccessReport['gates'],
    }).map(({ name, conditions }) => [name, ...conditions.map(({ text }) => text)]);
  };

  test.each<[string, Parameters<typeof near>, [string, ...string[]][]]>([
    [
      'a policy of which only the status is wrong, although another policy has a single condition',
      [
        {
          admins: no('is_admin()'),
          own: part('and', false, yes, no("status = 'pending'")),
          team: part('and', false, no('a'), no('b'), yes),
        },
      ],
      [['own', "status = 'pending'"]],
    ],
    [
      'the nearest side of OR',
      [{ p: part('or', false, part('and', false, no('a'), no('b')), part('and', false, yes, no('c'))) }],
      [['p', 'c']],
    ],
    [
      'two policies that are equally close',
      [{ p: part('and', false, yes, no('a')), q: part('and', false, yes, no('b')), r: no('c') }],
      [
        ['p', 'a'],
        ['q', 'b'],
      ],
    ],
    ['the only policy', [{ p: no('a') }], [['p', 'a']]],
    ['none of several policies that have nothing in common with the row', [{ p: no('a'), q: no('b') }], []],
    [
      'the conditions in the body of a function',
      [
        {
          p: no('is_member(id)', {
            calls: [{ value: 'false', tree: part('and', false, yes, no('m.role = 2')), rows: [], calls: [] }],
          }),
        },
      ],
      [['p', 'm.role = 2']],
    ],
    [
      'all restrictive policies that reject the row, but no permissive policy',
      [{ p: no('a'), 'restrictive one': no('b'), 'restrictive two': no('c') }, 'restrictive'],
      [
        ['restrictive one', 'b'],
        ['restrictive two', 'c'],
      ],
    ],
    ['nothing without a policy that applies', [{ p: no('a') }, 'no-policy'], []],
  ])('%s', (_what, given, expected) => {
    expect(near(...given)).toEqual(expected);
  });
});

test('only the subselects of the closest policies are listed', () => {
  const other = leaf(false, { rows: [rows('admins', 0, 0)] });
  const nearest: Judged = {
    kind: 'and',
    text: '',
    value: false,
    error: null,
    parts: [leaf(true), leaf(false, { rows: [rows('members', 0, 0)] })],
  };
  expect(causesOf(report(other, nearest)).map(({ from }) => from)).toEqual(['members']);
});
