import { describe, expect, it } from 'vitest';
import {
  coversBucket,
  isAlwaysTrue,
  isNeverTrue,
  perRowCalls,
  readsUserMetadata,
  withCachedCalls,
} from './expression.ts';

describe('perRowCalls', () => {
  it.each([
    ['(auth.uid() = user_id)', 1],
    ["((auth.jwt() ->> 'org'::text) = org)", 1],
    ["((current_setting('request.jwt.claims'::text, true))::json ->> 'sub'::text = owner)", 1],
    ['((auth.uid() = a) OR (auth.uid() = b))', 2],
    ['(EXISTS ( SELECT 1 FROM public.members m WHERE (m.user_id = auth.uid())))', 1],
    ['(auth.uid() = ANY (members))', 1],
  ])('finds the calls in %s', (expression, count) => {
    expect(perRowCalls(expression)).toHaveLength(count);
  });

  it.each([
    '(( SELECT auth.uid() AS uid) = user_id)',
    "((( SELECT auth.jwt() AS jwt) ->> 'org'::text) = org)",
    '(EXISTS ( SELECT 1 FROM public.members m WHERE (m.user_id = ( SELECT auth.uid() AS uid))))',
    '(id IN ( SELECT public.teams_of(( SELECT auth.uid() AS uid)) AS teams_of))',
    "(note = 'auth.uid()'::text)",
    '(public.uid() = user_id)',
    "(settings.current_setting('a'::text) = owner)",
  ])('finds nothing in %s', (expression) => {
    expect(perRowCalls(expression)).toEqual([]);
  });
});

describe('withCachedCalls', () => {
  it('wraps every call, and finds nothing to wrap in the result', () => {
    const cached = withCachedCalls("((auth.uid() = a) OR ((auth.jwt() ->> 'sub'::text) = b))");
    expect(cached).toBe("(((select auth.uid()) = a) OR (((select auth.jwt()) ->> 'sub'::text) = b))");
    expect(perRowCalls(cached)).toEqual([]);
  });
});

describe('isAlwaysTrue', () => {
  it.each(['true', '(true)', '((1 = 1))', '(NOT false)'])('accepts %s', (expression) => {
    expect(isAlwaysTrue(expression)).toBe(true);
  });
  it.each(['(a = a)', '(true) AND (b)', 'false'])('rejects %s', (expression) => {
    expect(isAlwaysTrue(expression)).toBe(false);
  });
});

describe('isNeverTrue', () => {
  it.each([
    'false',
    '((1 = 0))',
    '(owner = NULL::uuid)',
    '(NULL::uuid = owner)',
    '(name = NULL::character varying)',
    '((owner = auth.uid()) AND false)',
    '((owner = NULL::uuid) OR (1 = 0))',
  ])('accepts %s', (expression) => {
    expect(isNeverTrue(expression)).toBe(true);
  });
  it.each([
    '(owner IS NULL)',
    '(owner IS NOT DISTINCT FROM NULL::uuid)',
    '((owner = auth.uid()) OR false)',
    '((a = COALESCE(NULL::uuid, b)))',
    '((n >= 1) AND (n <= 2))',
    'true',
  ])('rejects %s', (expression) => {
    expect(isNeverTrue(expression)).toBe(false);
  });
});

describe('readsUserMetadata', () => {
  it.each([
    "(((auth.jwt() -> 'user_metadata'::text) ->> 'role'::text) = 'admin'::text)",
    "((((current_setting('request.jwt.claims'::text, true))::jsonb -> 'user_metadata'::text) ->> 'a'::text) = 'b'::text)",
    "((auth.jwt() #>> '{user_metadata,role}'::text[]) = 'admin'::text)",
    '(( SELECT (users.raw_user_meta_data ->> 1) FROM auth.users) = role)',
  ])('finds it in %s', (expression) => {
    expect(readsUserMetadata(expression)).toBe(true);
  });
  it.each([
    "(((auth.jwt() -> 'app_metadata'::text) ->> 'role'::text) = 'admin'::text)",
    "(kind = 'user_metadata'::text)",
  ])('finds nothing in %s', (expression) => {
    expect(readsUserMetadata(expression)).toBe(false);
  });
});

describe('coversBucket', () => {
  it('compares the whole condition', () => {
    expect(coversBucket("(bucket_id = 'it''s'::text)", "it's")).toBe(true);
    expect(coversBucket('true', 'a')).toBe(true);
    expect(coversBucket(null, 'a')).toBe(true);
    expect(coversBucket("(bucket_id = 'a'::text)", 'b')).toBe(false);
    expect(coversBucket("((bucket_id = 'a'::text) AND (owner = auth.uid()))", 'a')).toBe(false);
  });
});
