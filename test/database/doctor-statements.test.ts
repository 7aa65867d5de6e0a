/**
 * Tests that the statements that `plinth doctor` prints solve the reported problems: after an administrator has run all
 * of them, none of these problems is reported again.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { examineExternal } from '../../src/platform/database/index.ts';
import type { Finding } from '../../src/platform/database/types.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

describe.each(availableServers())('PostgreSQL $version', ({ bin }) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ExternalServer;
  beforeAll(async () => {
    folder = temporaryFolder();
    server = await startExternalServer(bin, folder.path);
  });
  afterAll(async () => {
    await server?.stop();
    folder?.remove();
  });
  beforeEach(async () => {
    await asAdmin("create role app login createrole bypassrls password 'secret'", 'postgres');
    await asAdmin('create database app owner app', 'postgres');
  });
  afterEach(async () => {
    await asAdmin('drop database app', 'postgres');
    await asAdmin('reset role; alter system reset all', 'postgres');
    const roles = [...plinthRoles, 'app'].join(', ');
    await asAdmin(`drop role if exists ${roles}`, 'postgres');
    await restart();
  });

  const plinthRoles = ['service_role', 'supabase_replication_admin', 'anon', 'authenticator'];

  async function asAdmin(statements: string, database = 'app'): Promise<void> {
    const client = await Client.connect(parseConnectionString(server.url('admin', database)));
    try {
      // ALTER SYSTEM must be the only statement of a message.
      for (const statement of statements.split(';'))
        if (statement.trim() !== '') await client.exec(statement);
    } finally {
      await client.connection.close();
    }
  }

  async function restart(): Promise<void> {
    await server.stop();
    await server.start();
  }

  const examine = (user = 'app'): Promise<readonly Finding[]> =>
    examineExternal({ direct: server.url(user, 'app') }, { sharedPassword: false, environment: {} });

  /** The checks that report a problem with statements. */
  const solvable = (findings: readonly Finding[]): string[] =>
    findings.flatMap(({ check, status, statements }) =>
      status !== 'ok' && statements.length > 0 ? [check] : [],
    );

  test.each<[problem: string, check: string, prepare: string, user?: string]>([
    ['an account that can neither replicate nor create service_role', 'realtime', ''],
    [
      "a role that can replicate, although the account can't",
      'realtime',
      'create role supabase_replication_admin login replication; grant supabase_replication_admin to app',
    ],
    [
      "a role that can't replicate, although the account can",
      'realtime',
      'alter role app replication; create role supabase_replication_admin login',
    ],
    ["roles that the account can't use", 'roles', 'create role anon; create role service_role bypassrls'],
    ['a limit of the account', 'connections', 'alter role app connection limit 20'],
    ['a limit of the database', 'connections', 'alter database app connection limit 20'],
    ['a limit of the server', 'connections', 'alter system set max_connections = 30'],
    ['the same for a superuser', 'connections', 'alter system set max_connections = 30', 'admin'],
    [
      'no free replication slot',
      'realtime',
      "alter system set max_replication_slots = 1; select pg_create_physical_replication_slot('other')",
      'admin',
    ],
    ['no WAL sender', 'realtime', 'alter system set max_wal_senders = 0', 'admin'],
    ['read-only transactions', 'writes', 'alter database app set default_transaction_read_only = on'],
    ['another owner', 'database', 'alter database app owner to admin'],
    ['a schema storage', 'schemas', 'create schema storage'],
    ['a schema extensions of another role', 'schemas', 'create schema extensions'],
  ])('%s', async (_problem, check, prepare, user) => {
    await asAdmin(prepare);
    await restart();
    const findings = await examine(user);
    expect(solvable(findings)).toContain(check);
    await asAdmin(
      findings
        .flatMap(({ statements }) => statements)
        .map((statement) => statement.replace(/--.*$/, ''))
        .join(';'),
    );
    await restart();
    expect(solvable(await examine(user))).toEqual([]);
    await asAdmin(
      "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'other'",
    );
  });
});
