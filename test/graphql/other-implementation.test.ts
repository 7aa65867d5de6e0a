/** Tests `/graphql/v1` with a pg_graphql that isn't Plinth's, from a folder that the operator names. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';

test('the function of the extension answers requests', async () => {
  const named = mkdtempSync(join(tmpdir(), 'plinth-graphql-'));
  onTestFinished(() => rmSync(named, { recursive: true, force: true }));
  for (const part of ['extension', 'lib']) mkdirSync(join(named, part));
  writeFileSync(
    join(named, 'extension', 'pg_graphql.control'),
    "default_version = '1.9'\nschema = 'graphql'\nrelocatable = false\ntrusted = true\n",
  );
  writeFileSync(
    join(named, 'extension', 'pg_graphql--1.9.sql'),
    `create function graphql.resolve(query text, variables jsonb default '{}', "operationName" text default null,
      extensions jsonb default null) returns jsonb language sql as
      $$ select jsonb_build_object('data', jsonb_build_object('asked', query, 'as', current_user, 'variables', variables)) $$;`,
  );
  const backend = await createTestBackend({
    config: { plinth: { database: { extension_folders: [named] } } },
    sql: 'create extension pg_graphql',
  });
  onTestFinished(() => backend.stop());
  const response = await backend.fetch('/graphql/v1', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ anything }', variables: { a: 1 } }),
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    { data: { asked: '{ anything }', as: 'anon', variables: { a: 1 } } },
  ]);
});
