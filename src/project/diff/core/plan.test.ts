import { expect, test } from 'vitest';
import { describePlanError } from './plan.ts';

test('a cycle is described in one sentence', () => {
  const { message, hint } = describePlanError(
    new Error(
      'dependency cycle among 2 actions — this is a rule/emission bug, fix the rule (guardrail 4):\n  CREATE VIEW\n "a"\n  CREATE FUNCTION "b"',
    ),
  );
  expect(message).toBe(
    'These changes depend on each other, so they can\'t be sorted: CREATE VIEW "a"; CREATE FUNCTION "b".',
  );
  expect(hint).toContain('two steps');
});

test('another error is shortened to its first sentence', () => {
  const { message } = describePlanError(
    new Error('domain "a"."b": cannot replace an in-use domain — column(s) c depend on it, and so on'),
  );
  expect(message).toBe(
    'This change can\'t be written as a migration: domain "a"."b": cannot replace an in-use domain.',
  );
});
