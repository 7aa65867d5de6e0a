/** Tests that database roles can't read the process's secrets from anywhere in SQL. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { quoteLiteral, sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend, migrateServices } from '../../src/entry/main.ts';
import { createDatabase } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import type { LoginRole } from '../../src/platform/database/types.ts';

// The timeouts are long, because each test starts servers that create a cluster.
const verifier = 'SCRAM-SHA-256$';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** A data folder with the migrations of all services, which each project copies. */
const migrated = mkdtempSync(join(tmpdir(), 'plinth-migrated-'));
beforeAll(async () => {
  await copyTemplateFolder(migrated);
  const database = await createDatabase({ dataDir: migrated, durable: false });
  try {
    await migrateServices(database);
  } finally {
    await database.stop();
  }
});
afterAll(() => rmSync(migrated, { recursive: true, force: true }));

async function project(files: Record<string, string> = {}): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-secrets-'));
  undo.push(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'supabase'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'supabase', name), text);
  await copyTemplateFolder(join(dir, '.plinth'), migrated);
  return dir;
}

async function start(projectDir: string, mode: 'development' | 'production'): Promise<Backend> {
  const backend = await createBackend({
    projectDir,
    mode,
    port: 0,
    dbPort: 0,
    mailPort: 0,
    exclude: ['functions'],
  });
  undo.push(() => backend.stop());
  await backend.start();
  return backend;
}

const setting = async (backend: Backend): Promise<unknown> => {
  const [row] = await backend.database
    .pool('authenticator')
    .query<{ value: string | null }>(sql`select current_setting('app.settings.jwt_secret', true) as value`);
  return row?.value || null;
};

test('serve doesn’t store its JWT secret in the database', async () => {
  const backend = await start(await project(), 'production');
  expect(await setting(backend)).toBeNull();
});

test('serve removes only a setting that an earlier version or `start` created', async () => {
  const dir = await project();
  const first = await start(dir, 'production');
  const secret = first.keys.jwtSecret;
  await (undo.pop() as () => Promise<void>)();
  const give = async (value: string) => {
    const database = await createDatabase({ dataDir: join(dir, '.plinth'), durable: false });
    await database
      .pool('supabase_admin')
      .exec(`alter database postgres set app.settings.jwt_secret = ${quoteLiteral(value)}`);
    await database.stop();
  };
  for (const [given, left] of [
    [secret, null],
    ['super-secret-jwt-token-with-at-least-32-characters-long', null],
    ["the project's own", "the project's own"],
  ] as const) {
    await give(given);
    const backend = await start(dir, 'production');
    expect(await setting(backend)).toBe(left);
    await (undo.pop() as () => Promise<void>)();
  }
});

test('start sets the local stack’s public secret, but no other secret', async () => {
  expect(await setting(await start(await project(), 'development'))).toBe(
    'super-secret-jwt-token-with-at-least-32-characters-long',
  );
  const own = `[auth]\njwt_secret = "${'mine'.repeat(10)}"\n`;
  expect(await setting(await start(await project({ 'config.toml': own }), 'development'))).toBeNull();
});

test('[database] jwt_secret_setting restores the setting', async () => {
  const files = { 'plinth.toml': '[database]\njwt_secret_setting = true\n' };
  const backend = await start(await project(files), 'production');
  expect(await setting(backend)).toBe(backend.keys.jwtSecret);
});

test('a secret of the process isn’t in any relation that any role can read', async () => {
  const backend = await start(await project(), 'production');
  const { keys, database } = backend;
  await backend.fetch('/auth/v1/signup', {
    method: 'POST',
    headers: { apikey: keys.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@example.com', password: 'secret-123-abc' }),
  });
  const secrets = {
    'JWT secret': keys.jwtSecret,
    'secret key': keys.secretKey,
    'service role key': keys.serviceRoleKey,
    'S3 secret': keys.s3.secretAccessKey,
    'password of a user': 'secret-123-abc',
    'a verifier of a password': verifier,
  };
  const roles: LoginRole[] = ['postgres', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin'];
  for (const role of [...roles, 'anon', 'authenticated', 'service_role'] as const) {
    const found = await database
      .pool(roles.includes(role as LoginRole) ? (role as LoginRole) : 'postgres')
      .transaction(
        async (tx) => {
          if (!roles.includes(role as LoginRole)) await tx.exec(`set local role ${role}`);
          await tx.exec(`set local statement_timeout = '60s'`);
          const relations = await tx.query<{ name: string }>(sql`
          select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind in ('r', 'v', 'm', 'p') and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')`);
          const places: string[] = [];
          for (const { name } of relations) {
            try {
              await tx.savepoint(async (inner) => {
                const [row] = await inner.query<{ text: string }>(
                  sql`select string_agg(t::text, ' ') as text from ${sql.raw(name)} t`,
                );
                for (const [what, secret] of Object.entries(secrets)) {
                  // The role pg_read_all_data can read this table. The table's password verifiers are useless to an
                  // attacker, because the passwords are random.
                  const isPlace = secret === verifier && /^pg_catalog\.pg_(authid|shadow)$/.test(name);
                  if (row?.text?.includes(secret) && !isPlace) places.push(`${what} in ${name}`);
                }
              });
            } catch {
              // The relation is a view of objects that the role can't access.
            }
          }
          return places;
        },
        { end: 'rollback' },
      );
    expect([role, found]).toEqual([role, []]);
  }
});
