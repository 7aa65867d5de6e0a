import { expect, test } from 'vitest';
import { matchRenames, parseRename } from './schema-diff.ts';

const possible = [
  { kind: 'table', from: 'public.notes', to: 'public.posts', statement: '1' },
  { kind: 'column', from: 'public.tags.name', to: 'public.tags."Full = name"', statement: '2' },
];

test.each([
  ['public.notes=public.posts', '1'],
  ['notes=posts', '1'],
  ['tags.name="Full = name"', '2'],
  ['public.tags.name=public.tags."Full = name"', '2'],
])('%s matches', (text, statement) => {
  const { matched, unmatched } = matchRenames([parseRename(text)], possible);
  expect(matched.map((each) => each.statement)).toEqual([statement]);
  expect(unmatched).toEqual([]);
});

test.each(['notes=tags', 'other.notes=posts', 'posts=notes'])('%s matches nothing', (text) => {
  expect(matchRenames([parseRename(text)], possible).matched).toEqual([]);
});

test.each(['notes', '=posts', 'notes=', 'a=b=c'])('%s is rejected', (text) => {
  expect(() => parseRename(text)).toThrow('--rename');
});
