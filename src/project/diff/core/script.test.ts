import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lex } from '../../../base/shared/sql/lex.ts';
import { quoteIfNeeded } from '../../../operations/dump/index.ts';
import { diffScript } from './script.ts';

const scriptFor = (name: string): string => {
  const from = `public.${quoteIfNeeded(name)}`;
  const rename = { kind: 'table', from, to: 'public.b', statement: `ALTER TABLE ${from} RENAME TO b` };
  return diffScript({
    statements: [{ text: 'SELECT 1', isDestructive: false, needsCommit: false }],
    possibleRenames: [rename],
    partitionMoves: [],
  });
};

test('a name in a comment doesn’t end the comment', () => {
  const breaks = fc.constantFrom('\n', '\r', '\u0085', '\u2028');
  fc.assert(
    fc.property(fc.string(), breaks, fc.string(), (head, lineBreak, tail) => {
      const text = scriptFor(`${head}${lineBreak}drop table x; ${tail}`);
      const tokens = [...lex(text)].filter(({ kind }) => kind !== 'space' && kind !== 'comment');
      expect(tokens.map(({ start, end }) => text.slice(start, end))).toEqual(['SELECT', '1', ';']);
    }),
  );
});

test('the suggested command quotes names for a shell', () => {
  expect(scriptFor("it's; touch x")).toContain(`--rename 'public."it'\\''s; touch x"=public.b',`);
  expect(scriptFor('plain')).toContain("--rename 'public.plain=public.b',");
});
