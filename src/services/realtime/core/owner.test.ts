import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainId, ownerColumns } from './owner.ts';

const comparable = new Set(['owner', 'name', 'Weird " Col']);
const using = (...texts: (string | null)[]) => texts.map((text) => ({ permissive: true, using: text }));

// Expressions in the format of PostgreSQL 18.
test.for([
  '(owner = auth.uid())',
  '(auth.uid() = owner)',
  '(owner = ( SELECT auth.uid() AS uid))',
  '(( SELECT auth.uid() AS uid) = owner)',
  "(owner = (((current_setting('request.jwt.claims'::text, true))::json ->> 'sub'::text))::uuid)",
  "(owner = ( SELECT (((current_setting('request.jwt.claims'::text, true))::jsonb ->> 'sub'::text))::uuid AS uuid))",
  "(owner = ((auth.jwt() ->> 'sub'::text))::uuid)",
  "(owner = ((( SELECT auth.jwt() AS jwt) ->> 'sub'::text))::uuid)",
  "(owner = (current_setting('request.jwt.claim.sub'::text, true))::uuid)",
  "((owner = ( SELECT auth.uid() AS uid)) AND (deleted IS NULL) AND (name = ') and ('::text))",
  "((name = 'it''s) ('::text) AND (owner = auth.uid()))",
  '((owner = auth.uid()) AND true)',
])('finds the owner column in %s', (text) => {
  expect(ownerColumns(using(text), comparable)).toEqual(['owner']);
});

test.for([
  '((owner = auth.uid()) OR (name IS NULL))',
  '(NOT (owner = auth.uid()))',
  '(owner <> auth.uid())',
  '(owner IN ( SELECT auth.uid() AS uid))',
  '(owner = ( SELECT id.id\n   FROM auth.uid() id(id)))',
  '(owner = public.uid())',
  '(owner = uid())',
  '(owner OPERATOR(public.=) auth.uid())',
  "(owner = ((auth.jwt() ->> 'org'::text))::uuid)",
  '(other = auth.uid())',
  '(COALESCE(owner, auth.uid()) = auth.uid())',
  "(name = ('x'::text || (auth.uid())::text))",
  '(EXISTS ( SELECT\n   FROM m\n  WHERE ((m.owner = auth.uid()) AND (m.room = name))))',
  '\nCASE\n    WHEN (name IS NULL) THEN true\n    ELSE (owner = auth.uid())\nEND',
  'true',
])('no owner column is derived from %s', (text) => {
  expect(ownerColumns(using(text), comparable)).toBeUndefined();
});

test('every permissive policy is included, and a restrictive policy only removes rows', () => {
  const own = '(owner = auth.uid())';
  expect(ownerColumns(using(own, '(name = (auth.uid())::text)'), comparable)).toEqual(['owner', 'name']);
  expect(ownerColumns(using('("Weird "" Col" = auth.uid())'), comparable)).toEqual(['Weird " Col']);
  expect(ownerColumns(using(own, 'true'), comparable)).toBeUndefined();
  expect(ownerColumns(using(own, null), comparable)).toBeUndefined();
  expect(ownerColumns([], comparable)).toBeUndefined();
  const restrictive = { permissive: false, using: own };
  expect(ownerColumns([restrictive], comparable)).toBeUndefined();
  expect(ownerColumns([...using('true'), restrictive], comparable)).toBeUndefined();
  expect(ownerColumns([...using(own), { permissive: false, using: 'false' }], comparable)).toEqual(['owner']);
});

test('recognizes IDs with a single spelling', () => {
  expect(isPlainId('00000000-0000-4000-8000-00000000000a')).toBe(true);
  for (const sub of [
    '',
    'x',
    '00000000-0000-4000-8000-00000000000A',
    '{00000000-0000-4000-8000-00000000000a}',
  ])
    expect(isPlainId(sub)).toBe(false);
});

test('parsing never fails', () => {
  const fragment = fc.constantFrom(
    '(',
    ')',
    "'",
    '"',
    ' AND ',
    ' = ',
    'auth.uid()',
    'owner',
    ' SELECT ',
    ' AS ',
    ' OR ',
  );
  fc.assert(
    fc.property(fc.array(fragment), (fragments) => {
      ownerColumns(using(fragments.join('')), comparable);
    }),
  );
});
