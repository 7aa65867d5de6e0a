import { expect, test } from 'vitest';
import { createTemporaryTokens } from './role-tokens.ts';

function create() {
  let nowMs = 1_800_000_000_000;
  let signed = 0;
  const tokens = createTemporaryTokens(
    (role, exp) => JSON.stringify({ role, exp, number: ++signed }),
    () => nowMs,
  );
  return {
    ...tokens,
    advance(ms: number) {
      nowMs += ms;
    },
    secondsLeft: (token: string) => JSON.parse(token).exp - nowMs / 1000,
  };
}

test('a token is reused while it is valid for long enough', () => {
  const { tokenFor, advance, secondsLeft } = create();
  const first = tokenFor('service_role', 60);
  expect(secondsLeft(first)).toBe(90);
  advance(30_000);
  expect(tokenFor('service_role', 60)).toBe(first);
  advance(1000);
  const second = tokenFor('service_role', 60);
  expect(second).not.toBe(first);
  expect(secondsLeft(second)).toBe(90);
});

test('each role and each duration has its own token', () => {
  const { tokenFor, secondsLeft } = create();
  const tokens = [tokenFor('service_role', 60), tokenFor('anon', 60), tokenFor('service_role', 400)];
  expect(new Set(tokens).size).toBe(3);
  expect(tokens.map((token) => JSON.parse(token).role)).toEqual(['service_role', 'anon', 'service_role']);
  expect(tokens.map(secondsLeft)).toEqual([90, 90, 430]);
});

test('a token isn’t reused after the clock was set back or the keys have changed', () => {
  const { tokenFor, advance, forget, secondsLeft } = create();
  const first = tokenFor('service_role', 60);
  advance(-3_600_000);
  const second = tokenFor('service_role', 60);
  expect(second).not.toBe(first);
  expect(secondsLeft(second)).toBe(90);
  forget();
  expect(tokenFor('service_role', 60)).not.toBe(second);
});
