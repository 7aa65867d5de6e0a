import { expect, test } from 'vitest';
import { hostedTarget, isProjectRef, shownTarget } from './linked.ts';

const ref = 'abcdefghijklmnopqrst';

test.each([
  ['abcdefghijklmnopqrst', true],
  ['abcdefghijklmnopqrs', false],
  ['evil.example/aaaaaaa', false],
  ['ABCDEFGHIJKLMNOPQRST', false],
])('%s is a reference: %s', (text, expected) => {
  expect(isProjectRef(text)).toBe(expected);
});

test('a hosted project is accessed directly or through the pooler that upstream’s link command stored', () => {
  const direct = `postgresql://postgres@db.${ref}.supabase.co:5432/postgres?sslmode=require`;
  expect(hostedTarget(ref).url).toBe(direct);
  const pooler = `postgresql://postgres.${ref}:[YOUR-PASSWORD]@aws-0-eu-west-1.pooler.supabase.com:6543/postgres`;
  expect(hostedTarget(ref, pooler).url).toBe(
    `postgresql://postgres.${ref}@aws-0-eu-west-1.pooler.supabase.com:5432/postgres?sslmode=require`,
  );
  for (const other of [
    `postgresql://postgres.${ref}@evil.example:5432/postgres`,
    'postgresql://postgres.zzzzzzzzzzzzzzzzzzzz@aws-0-eu-west-1.pooler.supabase.com/postgres',
    'nothing',
  ])
    expect(hostedTarget(ref, other).url).toBe(direct);
});

test('passwords are never shown', () => {
  expect(shownTarget({ url: 'postgresql://app:s3c:ret@db.example/app' })).toBe(
    'postgresql://app@db.example/app',
  );
  expect(shownTarget({ url: 'host=db.example password=s3cret' })).toBe('host=db.example password=…');
  expect(shownTarget(hostedTarget(ref))).toBe(ref);
});
