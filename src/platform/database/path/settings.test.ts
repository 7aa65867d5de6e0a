import { expect, test } from 'vitest';
import { SettingsStatements } from './settings.ts';

const anon = { role: 'anon', access: 'read only' } as const;

test('one statement applies all settings in order, read only last', () => {
  const { text, values } = new SettingsStatements().of({
    ...anon,
    settings: [
      ['role', 'anon'],
      ['request.jwt.claims', '{}'],
    ],
  });
  expect(text).toBe(
    `select from (select pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true), ` +
      `pg_catalog.set_config('transaction_read_only', 'on', true)) settings`,
  );
  expect(values).toEqual(['anon', '{}']);
});

test('the role is always set', () => {
  const { text, values } = new SettingsStatements().of({ ...anon, access: 'read write', settings: [] });
  expect(text).toBe(`select from (select pg_catalog.set_config('role', $1, true)) settings`);
  expect(values).toEqual(['anon']);
});

test('a request setting from one request is cleared in the next', () => {
  const statements = new SettingsStatements();
  statements.of({
    ...anon,
    settings: [
      ['role', 'anon'],
      ['request.jwt.claim.sub', 'x'],
      ['statement_timeout', '1s'],
    ],
  });
  const { text, values } = statements.of({ ...anon, access: 'read write', settings: [['role', 'anon']] });
  expect(text).toContain(`pg_catalog.set_config('request.jwt.claim.sub', $2, true)`);
  expect(text).not.toContain('statement_timeout');
  expect(values).toEqual(['anon', '']);
});

test('equal names have equal keys, and a name is quoted', () => {
  const statements = new SettingsStatements();
  const first = statements.of({
    ...anon,
    settings: [
      ['role', 'a'],
      ["o'dd", '1'],
    ],
  });
  const second = statements.of({
    ...anon,
    settings: [
      ['role', 'b'],
      ["o'dd", '2'],
    ],
  });
  expect(second.key).toBe(first.key);
  expect(first.text).toContain(`set_config('o''dd', $2, true)`);
});
