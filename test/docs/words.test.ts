/** Tests the word check of `npm run lint`: what it rejects, what it accepts, and its report. */
import { describe, expect, test } from 'vitest';
import type { WordException } from '../../scripts/lint/words/exceptions.ts';
import { createWordFinder, reportFindings } from '../../scripts/lint/words/find.ts';
import { wordRules } from '../../scripts/lint/words/rules.ts';

const find = createWordFinder(wordRules, []);
const rulesIn = (source: string): string[] => find('src/x.ts', source).map(({ rule }) => rule.name);

describe('rejects', () => {
  test.each([
    ['// Whoever has a grant may read.', 'whoever'],
    ["throw new Error('Somebody else changed it');", 'somebody'],
    ['const asNobody = undefined;', 'nobody'],
    ['/** Made anew for each request. */', 'anew'],
    ['It is gone for good.', 'for good'],
    ['-- It is no table.', 'is no'],
    ['The token works no more and is not used any more.', 'any more'],
    ['The stream goes on.', 'go on'],
    ['Several start at once.', 'at once'],
    ['A process of its own.', 'of its own'],
    ['The key stands in a cookie.', 'stands in'],
    ['The header tells the name.', 'tells'],
    ['If there is no index', 'is no'],
    ['There are no rows.', 'are no'],
    ['The behaviour of the server', 'British spelling'],
    ['It recognises an organisation.', 'British spelling'],
    ['The request was cancelled.', 'British spelling'],
  ])('rejects %s', (source, rule) => {
    expect(rulesIn(source)).toContain(rule);
  });

  test.each([
    ['/**\n * Rows that are removed for\n * good.\n */', 'for good'],
    ['  // It ends at\n  // once.', 'at once'],
    ['-- A process of its\n-- own.', 'of its own'],
    ['The table is\nno view.', 'is no'],
  ])('rejects a phrase across two lines: %j', (source, rule) => {
    expect(rulesIn(source)).toEqual([rule]);
  });
});

test.each([
  'The session is no longer valid, and there are no longer any rows.',
  'All at once, without any more than two.',
  'The organism was an optimist about synchronism and the programmer.',
  'The behavior, the color, the catalog, an analysis, a license, canceled, labeled.',
  'A user who is enrolled fulfills the rule.',
])('accepts %s', (source) => {
  expect(rulesIn(source)).toEqual([]);
});

test('a finding contains the path, the line and its text', () => {
  expect(find('src/x.ts', 'const a = 1;\n  // Whoever asks\n')).toMatchObject([
    { path: 'src/x.ts', line: 2, text: '// Whoever asks', rule: { name: 'whoever' } },
  ]);
});

test('an exception applies only to its paths, its rule and its line', () => {
  const exceptions: readonly WordException[] = [
    {
      paths: ['src/a/'],
      rule: 'nobody',
      line: 'nobody:nogroup',
      reason: 'The user of the operating system.',
    },
  ];
  const findOther = createWordFinder(wordRules, exceptions);
  expect(findOther('src/a/x.ts', 'chown nobody:nogroup')).toEqual([]);
  expect(findOther('src/b/x.ts', 'chown nobody:nogroup')).toHaveLength(1);
  expect(findOther('src/a/x.ts', 'nobody is here')).toHaveLength(1);
  expect(findOther('src/a/x.ts', 'nobody:nogroup, anew')).toMatchObject([{ rule: { name: 'anew' } }]);
});

test('the report groups the findings by rule, with the replacement', () => {
  expect(reportFindings([...find('src/x.ts', 'anew\nwhoever'), ...find('src/y.ts', 'anew')])).toEqual([
    '"whoever": write instead: name the thing: any role with a grant',
    '  src/x.ts:2: whoever',
    '"anew": write instead: again',
    '  src/x.ts:1: anew',
    '  src/y.ts:1: anew',
  ]);
});
