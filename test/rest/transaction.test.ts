/**
 * Tests a request's transaction: its isolation level, its access mode and the settings of its role (as in PostgREST
 * 16).
 */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type RestProcess,
  type StandaloneDatabase,
  startDatabase,
  startRestProcess,
} from './standalone-harness.ts';

const secret = 'a-secret-that-is-long-enough-for-hs256!';

const fixture = `
  create function api.setting(name text) returns json stable language sql as
    $$ select to_json(current_setting(name, true)) $$;
  create function api.setting_for_writes(name text) returns json volatile language sql as
    $$ select to_json(current_setting(name, true)) $$;
  create function api.isolated() returns json stable language sql
    set default_transaction_isolation = 'repeatable read' as
    $$ select to_json(current_setting('transaction_isolation')) $$;
  create sequence api.attempts;
  grant usage on sequence api.attempts to rest_anon;
  create function api.conflict() returns int volatile language plpgsql as $$ begin
    perform nextval('api.attempts');
    raise serialization_failure; end $$;
  create role rest_strict;
  grant rest_strict to rest_login;
  grant usage on schema api to rest_strict;
  alter role rest_strict set default_transaction_isolation = 'serializable';
  alter role rest_strict set statement_timeout = '7s';
  alter role rest_strict set log_statement = 'ddl';
`;

let database: StandaloneDatabase;
let rest: RestProcess;
beforeAll(async () => {
  database = await startDatabase();
  await database.run(fixture);
  await database.run(`
    do $$ begin
      execute format('alter role rest_strict in database %I set lock_timeout = ''3s''', current_database());
    end $$`);
  rest = await startRestProcess({
    PGRST_DB_URI: database.uri,
    PGRST_DB_SCHEMAS: 'api',
    PGRST_DB_ANON_ROLE: 'rest_anon',
    PGRST_JWT_SECRET: secret,
  });
});
afterAll(async () => {
  await rest?.stop();
  await database?.drop();
});

function tokenOf(role: unknown): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${encode({ alg: 'HS256' })}.${encode({ role })}`;
  return `${data}.${createHmac('sha256', secret).update(data).digest('base64url')}`;
}

/** Requests a path as `role`, or as the anonymous role by default. */
async function ask(path: string, role?: unknown, method = 'GET'): Promise<unknown> {
  const response = await rest.fetch(path, {
    method,
    headers: role === undefined ? {} : { authorization: `Bearer ${tokenOf(role)}` },
  });
  return response.json();
}
const setting = (name: string, role?: string) => ask(`/rpc/setting?name=${name}`, role);

describe('isolation', () => {
  test('is set by the function, or else by the role, or else by the database', async () => {
    expect(await setting('transaction_isolation')).toBe('read committed');
    expect(await setting('transaction_isolation', 'rest_strict')).toBe('serializable');
    expect(await ask('/rpc/isolated')).toBe('repeatable read');
    expect(await ask('/rpc/isolated', 'rest_strict')).toBe('repeatable read');
  });
});

describe('access', () => {
  test.each([
    ['GET', '/rpc/setting_for_writes?name=transaction_read_only', 'on'],
    ['GET', '/rpc/setting?name=transaction_read_only', 'on'],
  ])('of %s %s is %s', async (method, path, expected) => {
    expect(await ask(path, undefined, method)).toBe(expected);
  });

  test.each([
    ['setting', 'on'],
    ['setting_for_writes', 'off'],
  ])('of POST to %s is %s', async (name, expected) => {
    const response = await rest.fetch(`/rpc/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name": "transaction_read_only"}',
    });
    expect(await response.json()).toBe(expected);
  });
});

test('a conflict is reported instead of being retried', async () => {
  const response = await rest.fetch('/rpc/conflict', { method: 'POST' });
  expect([response.status, await response.json()]).toMatchObject([500, { code: '40001' }]);
  const attempts = await database.query<{ last_value: string }>(
    'select last_value::text, is_called from api.attempts',
  );
  expect(attempts).toEqual([{ last_value: '1', is_called: true }]);
});

describe('settings of the role', () => {
  test('apply, except those for one database and those that need a privilege', async () => {
    expect(await setting('statement_timeout', 'rest_strict')).toBe('7s');
    expect(await setting('lock_timeout', 'rest_strict')).toBe('0');
    expect(await setting('log_statement', 'rest_strict')).toBe('none');
    expect(await setting('statement_timeout')).toBe('0');
  });

  test('that need a privilege apply after it is granted and the configuration is read again', async () => {
    await database.run('grant set on parameter log_statement to rest_login');
    try {
      const from = rest.err().length;
      await database.run("notify pgrst, 'reload config'");
      await rest.said(/Config reloaded/, from);
      expect(await setting('log_statement', 'rest_strict')).toBe('ddl');
    } finally {
      await database.run('revoke set on parameter log_statement from rest_login');
    }
  });

  test('aren’t reloaded by an unknown notification', async () => {
    const from = rest.err().length;
    await database.run("notify pgrst, 'reload everything'; notify pgrst, 'reload config'");
    await rest.said(/Config reloaded/, from);
    expect(rest.err().slice(from)).not.toContain('Schema cache loaded');
  });
});

describe('a role claim that isn’t text', () => {
  test.each([
    [1, '1'],
    [true, 'true'],
    [null, 'null'],
    [['rest_strict'], '["rest_strict"]'],
    [{ rest_strict: true }, '{"rest_strict":true}'],
  ])('is used as its JSON text: %j', async (role, name) => {
    expect(await ask('/rpc/isolated', role)).toMatchObject({
      code: '22023',
      message: `role "${name}" does not exist`,
    });
  });
});
