import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Expression, parseExpression } from './expression.ts';

/** Formats an expression as text such as `or(a, and(b, c))`, including the operands of each test. */
const shape = (expression: Expression): string =>
  expression.kind === 'test'
    ? `${expression.text}${expression.operands.length > 0 ? ` {${expression.operands.join(' | ')}}` : ''}`
    : `${expression.kind}(${expression.parts.map(shape).join(', ')})`;

// The conditions are written as PostgreSQL 18 outputs them.
test.each([
  ['true', 'true'],
  ['(owner = auth.uid())', 'owner = auth.uid() {owner | auth.uid()}'],
  ['((owner = auth.uid()) OR public)', 'or(owner = auth.uid() {owner | auth.uid()}, public)'],
  ['((a AND (NOT b)) OR (c IS NULL))', 'or(and(a, not(b)), c IS NULL {c})'],
  ['((a >= 1) AND (a <= 5))', 'and(a >= 1 {a}, a <= 5 {a})'],
  ['( SELECT (auth.uid() = owner) AND true)', '( SELECT (auth.uid() = owner) AND true)'],
  [
    '(( SELECT auth.uid() AS uid) = owner)',
    '( SELECT auth.uid() AS uid) = owner {( SELECT auth.uid() AS uid) | owner}',
  ],
  [
    `((auth.jwt() ->> 'role'::text) = 'admin'::text)`,
    `(auth.jwt() ->> 'role'::text) = 'admin'::text {(auth.jwt() ->> 'role'::text)}`,
  ],
  [
    '(EXISTS ( SELECT 1\n   FROM members m\n  WHERE ((m.room = rooms.id) AND (m.who = auth.uid()))))',
    'EXISTS ( SELECT 1\n   FROM members m\n  WHERE ((m.room = rooms.id) AND (m.who = auth.uid())))',
  ],
  [
    `(kind = ANY (ARRAY['a'::text, 'b'::text]))`,
    `kind = ANY (ARRAY['a'::text, 'b'::text]) {kind | ARRAY['a'::text, 'b'::text]}`,
  ],
  ['(id = ANY ( SELECT f.id FROM f))', 'id = ANY ( SELECT f.id FROM f) {id}'],
  [
    'CASE\n    WHEN (a AND b) THEN c\n    ELSE (d OR e)\nEND',
    'CASE\n    WHEN (a AND b) THEN c\n    ELSE (d OR e)\nEND',
  ],
  ['(a IS DISTINCT FROM b)', 'a IS DISTINCT FROM b {a | b}'],
  ['(NOT (a OR b))', 'not(or(a, b))'],
  [`(name ~~ '% or %'::text)`, `name ~~ '% or %'::text {name}`],
  ['("or" AND "a and b")', 'and("or", "a and b")'],
  [
    '(((tags)::text[] && ARRAY[x]) AND ok)',
    'and((tags)::text[] && ARRAY[x] {(tags)::text[] | ARRAY[x]}, ok)',
  ],
  ['is_member(room_id)', 'is_member(room_id)'],
])('%s', (text, expected) => {
  expect(shape(parseExpression(text))).toBe(expected);
});

const leaf = fc.constantFrom('a', '(b = c)', 'f(x, y)', '( SELECT 1)', '(d IS NULL)', `(e = 'and'::text)`);
const printed: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('any'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' AND ')})`),
    fc.array(tie('any'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' OR ')})`),
    tie('any').map((part) => `(NOT ${part})`),
  ),
})).any;

test('a tree contains only its own text, and its leaves have no AND or OR at the top level', () => {
  fc.assert(
    fc.property(printed, (text) => {
      const walk = (expression: Expression): void => {
        expect(text).toContain(expression.text);
        if (expression.kind === 'test') expect(parseExpression(expression.text).kind).toBe('test');
        else expression.parts.forEach(walk);
      };
      walk(parseExpression(text));
    }),
  );
});

test('any text is parsed as an expression', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseExpression(text)));
});
