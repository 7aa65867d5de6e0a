import { expect, test } from 'vitest';
import { sameStatements } from './same-statements.ts';

test.each([
  [['select  1;'], ['select 1'], true],
  [['select 1', 'select 2'], ['select 1;', '\n select 2'], true],
  [['select 1'], ['select 2'], false],
  [['select 1'], [], false],
])('%j and %j: %s', (one, other, isSame) => {
  expect(sameStatements(one, other)).toBe(isSame);
});
