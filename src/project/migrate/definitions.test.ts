import { expect, test } from 'vitest';
import type { MoveStatement } from '../../operations/dump/index.ts';
import { planDefinitions } from './definitions.ts';

const facts = {
  extensions: new Set(['pgcrypto']),
  availableExtensions: new Set(['pgcrypto', 'vector']),
};
const statement = (kind: MoveStatement['kind'], identity: string, text: string): MoveStatement => ({
  text,
  subject: `${kind} ${identity}`,
  identity,
  ...(kind === undefined ? {} : { kind }),
});
const table = (text: string) => statement('TABLE', 'public.a', text);
const policy = (text: string) => statement('POLICY', 'own ON public.a', text);
const side = (...statements: MoveStatement[]) => ({ roles: [], statements });
const textsOf = (plan: ReturnType<typeof planDefinitions>) => plan.missing.map(({ text }) => text);

test('statements that the target already contains are omitted, and the order is kept', () => {
  const [a, b, c] = ['CREATE TABLE public.a (x int)', 'GRANT a', 'GRANT b'];
  const plan = planDefinitions(side(table(a), table(b), table(c)), side(table(b)), facts);
  expect(textsOf(plan)).toEqual([a, c]);
  expect(plan.different).toEqual([]);
});

test('a table with a different definition is reported, and its other statements still run', () => {
  const plan = planDefinitions(
    side(table('CREATE TABLE public.a (x int)'), table("COMMENT ON TABLE public.a IS 'x'")),
    side(table('CREATE TABLE public.a (x int, y int)')),
    facts,
  );
  expect(plan.different).toEqual(['TABLE public.a']);
  expect(textsOf(plan)).toEqual(["COMMENT ON TABLE public.a IS 'x'"]);
});

test('a changed policy is dropped and created again with its comment', () => {
  const comment = policy("COMMENT ON POLICY own ON public.a IS 'x'");
  const plan = planDefinitions(
    side(policy('CREATE POLICY own ON public.a USING (true)'), comment),
    side(policy('CREATE POLICY own ON public.a USING (false)'), comment),
    facts,
  );
  expect(textsOf(plan)).toEqual([
    'DROP POLICY own ON public.a',
    'CREATE POLICY own ON public.a USING (true)',
    comment.text,
  ]);
});

test('a function is replaced', () => {
  const of = (body: string) =>
    statement('FUNCTION', 'public.f()', `CREATE OR REPLACE FUNCTION public.f() ${body}`);
  const plan = planDefinitions(side(of('a')), side(of('b')), facts);
  expect(textsOf(plan)).toEqual([of('a').text]);
  expect(plan.different).toEqual([]);
  expect(plan.extra).toEqual([]);
});

test('extensions are compared by name', () => {
  const extension = (name: string, schema: string) =>
    statement('EXTENSION', name, `CREATE EXTENSION IF NOT EXISTS ${name} WITH SCHEMA ${schema}`);
  const plan = planDefinitions(
    side(extension('pgcrypto', 'a'), extension('vector', 'a'), extension('"odd-name"', 'a')),
    side(extension('pgcrypto', 'b')),
    facts,
  );
  expect(textsOf(plan)).toEqual(['CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA a']);
  expect(plan.unavailable).toEqual(['odd-name']);
});

test('definitions that only the target has are listed', () => {
  const plan = planDefinitions(side(), side(table('CREATE TABLE public.a (x int)')), facts);
  expect(plan.extra).toEqual(['TABLE public.a']);
});
