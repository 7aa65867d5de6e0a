import { describe, expect, test } from 'vitest';
import { budgetOf } from '../../connection-budget.ts';
import { type Facts, managerIn, manageStatement, type RoleFacts, usedExtensions } from './facts.ts';
import { findingsOf } from './findings.ts';
import { providerOf } from './providers.ts';

const role: RoleFacts = {
  isSuperuser: false,
  bypassesRls: false,
  hasReplication: false,
  isMember: true,
  isAdmin: true,
};

/** A superuser on an empty server. */
const empty: Facts = {
  version: 180_004,
  login: {
    name: 'admin',
    isSuperuser: true,
    canCreateRoles: true,
    bypassesRls: true,
    hasReplication: true,
  },
  database: { name: 'app', encoding: 'UTF8', isOwned: true },
  pooler: 'none',
  isEncrypted: true,
  isLocal: false,
  isStandby: false,
  isReadOnly: false,
  freeConnections: 90,
  maxConnections: 100,
  tightLimits: ['server'],
  walLevel: 'logical',
  maxSlots: 10,
  freeSlots: 10,
  maxWalSenders: 10,
  freeWalSenders: 10,
  allowsSharedSlot: true,
  roles: {},
  schemas: {},
  hasLedger: false,
  hasAuthUsers: false,
  eventTriggers: [],
  extensions: usedExtensions,
  superuserExtensions: [],
  manager: undefined,
  authenticator: 'absent',
  budget: budgetOf({}),
  provider: undefined,
};

const without = (name: string) => usedExtensions.filter((used) => used !== name);

/** An account that can create roles but has no other special privileges. */
const owner: Facts = {
  ...empty,
  login: {
    name: 'app',
    isSuperuser: false,
    canCreateRoles: true,
    bypassesRls: false,
    hasReplication: false,
  },
};

const used = { ...empty, roles: { authenticator: role }, authenticator: 'rejected' } as const;

/** The checks whose status isn't `ok`, in the form `status check`. */
const problems = (facts: Facts): string[] =>
  findingsOf(facts)
    .filter(({ status }) => status !== 'ok')
    .map(({ status, check }) => `${status} ${check}`);

const statementsOf = (facts: Facts): string[] => findingsOf(facts).flatMap(({ statements }) => statements);

test.each<[string, Facts, string[]]>([
  ['a superuser on an empty server', empty, []],
  ['PostgreSQL 14', { ...empty, version: 140_010 }, ['failing version']],
  [
    'a pooler in transaction mode',
    { ...empty, pooler: 'transaction' },
    ['failing pooler', 'degraded realtime'],
  ],
  ['a pooler in session mode', { ...empty, pooler: 'session' }, ['degraded pooler', 'degraded realtime']],
  ['a standby', { ...empty, isStandby: true }, ['failing writes']],
  ['read-only transactions', { ...empty, isReadOnly: true }, ['failing writes']],
  [
    'another encoding',
    { ...empty, database: { ...empty.database, encoding: 'LATIN1' } },
    ['failing encoding'],
  ],
  ['another owner', { ...empty, database: { ...empty.database, isOwned: false } }, ['failing database']],
  ['a schema storage', { ...empty, schemas: { storage: true } }, ['failing schemas']],
  [
    'a schema auth of another program',
    { ...empty, schemas: { auth: true } },
    ['failing schemas', 'degraded event_triggers'],
  ],
  ['a schema extensions, as a superuser', { ...empty, schemas: { extensions: false } }, []],
  ['few connections', { ...empty, freeConnections: 9 }, ['failing connections']],
  ['some connections', { ...empty, freeConnections: 30 }, ['degraded connections']],
  ['no TLS', { ...empty, isEncrypted: false }, ['degraded tls']],
  ['no TLS on this machine', { ...empty, isEncrypted: false, isLocal: true }, []],
  ['no logical replication', { ...empty, walLevel: 'replica' }, ['degraded realtime']],
  ['no slot', { ...empty, freeSlots: 0 }, ['degraded realtime']],
  ['no WAL sender', { ...empty, freeWalSenders: 0 }, ['degraded realtime']],
  ['no pgcrypto', { ...empty, extensions: without('pgcrypto') }, ['failing extensions']],
  ['no vector', { ...empty, extensions: without('vector') }, ['degraded extensions']],
  ['roles of another project', { ...used, manager: 'other' }, ['failing passwords']],
  ['roles of another program', used, ['failing passwords']],
  ['roles whose account has a new password', { ...used, manager: 'admin' }, []],
  [
    'roles of an earlier version of this project',
    {
      ...used,
      hasLedger: true,
      roles: {
        ...used.roles,
        service_role: { ...role, bypassesRls: true },
        supabase_replication_admin: { ...role, hasReplication: true },
      },
    },
    [],
  ],
  ['roles without a password', { ...used, authenticator: 'no password' }, []],
  ['CREATEROLE only', owner, ['failing service_role', 'degraded realtime', 'degraded event_triggers']],
  [
    'CREATEROLE, BYPASSRLS and REPLICATION',
    { ...owner, login: { ...owner.login, bypassesRls: true, hasReplication: true } },
    ['degraded event_triggers'],
  ],
  [
    'the same in PostgreSQL 15',
    { ...owner, version: 150_012, login: { ...owner.login, bypassesRls: true, hasReplication: true } },
    ['failing service_role', 'degraded realtime', 'degraded event_triggers'],
  ],
  [
    'service_role by an administrator',
    { ...owner, roles: { service_role: { ...role, bypassesRls: true } } },
    ['degraded realtime', 'degraded event_triggers'],
  ],
  [
    'no CREATEROLE',
    { ...owner, login: { ...owner.login, canCreateRoles: false } },
    ['failing roles', 'failing service_role', 'degraded realtime', 'degraded event_triggers'],
  ],
  [
    'roles of others, without superuser',
    { ...owner, roles: { anon: { ...role, isMember: false, isAdmin: false } } },
    ['failing roles', 'failing service_role', 'degraded realtime', 'degraded event_triggers'],
  ],
])('%s', (_name, facts, expected) => {
  expect(problems(facts)).toEqual(expected);
});

test('a URL lacks a password that the server requires', () => {
  expect(problems({ ...empty, authenticator: 'needs password' })).toEqual(['failing passwords']);
});

test('a pooler rejects startup parameters', () => {
  expect(problems({ ...empty, pooler: 'restricted' })).toEqual(['failing pooler', 'degraded realtime']);
});

test('names in statements are quoted', () => {
  const name = 'a "b"; drop';
  const statements = statementsOf({ ...owner, login: { ...owner.login, name } });
  expect(statements).toContain('grant service_role to "a ""b""; drop" with admin option;');
});

test('a comment stores the account that manages the passwords', () => {
  const statement = manageStatement("o'brien");
  const comment = /is '(.*)'$/.exec(statement)?.[1]?.replaceAll("''", "'");
  expect(managerIn(comment ?? null)).toBe("o'brien");
  expect(managerIn(null)).toBeUndefined();
  expect(managerIn('Login of PostgREST')).toBeUndefined();
});

test('an extension that only a superuser can create comes with the statement for an administrator', () => {
  const facts = { ...owner, superuserExtensions: ['moddatetime'] };
  const extensions = (given: Facts) => findingsOf(given).find(({ check }) => check === 'extensions');
  expect(extensions(facts)).toMatchObject({
    status: 'degraded',
    statements: ['create extension if not exists "moddatetime";'],
  });
  expect(extensions({ ...facts, login: empty.login })).toMatchObject({ status: 'ok' });
});

describe('Citus', () => {
  const citus = { version: '14.0-1', isCoordinator: true, workers: 2, lacksDecoders: false, rejected: [] };

  test('a server without Citus has no finding', () => {
    expect(findingsOf(empty).some(({ check }) => check === 'citus')).toBe(false);
  });

  test.each([
    ['a prepared coordinator', citus, []],
    ['a worker', { ...citus, isCoordinator: false }, ['failing citus']],
    ['no decoders', { ...citus, lacksDecoders: true }, ['degraded citus']],
    [
      'a role without access to a worker',
      { ...citus, rejected: [{ role: 'anon', workers: 1 }] },
      ['degraded citus'],
    ],
  ])('%s', (_name, facts, expected) => {
    expect(problems({ ...empty, citus: facts })).toEqual(expected);
  });

  test('the statements give each rejected role access to the workers', () => {
    const rejected = ['anon', 'o"dd'].map((role) => ({ role, workers: 2 }));
    expect(statementsOf({ ...empty, citus: { ...citus, rejected } })).toEqual([
      'alter role "anon" login;',
      'alter role "o""dd" login;',
      expect.stringContaining(`create_distributed_function('auth.uid()')`),
    ]);
  });
});

test('the finding about connections contains the number of nodes that fit', () => {
  const connections = (changes: Partial<Facts>) =>
    findingsOf({ ...empty, ...changes }).find(({ check }) => check === 'connections');
  const budget = budgetOf({ path: { sharedConnections: 4, aloneConnections: 6, slowConnections: 4 } });
  expect(connections({ freeConnections: 130, budget })).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/each node uses up to 61: 14 for REST.* Nodes that fit: 2\.$/),
  });
  expect(connections({ freeConnections: 60, budget, maxConnections: 100 })).toMatchObject({
    status: 'degraded',
    message: expect.stringContaining('[database] pool_connections'),
    statements: ['alter system set max_connections = 161; -- then restart PostgreSQL'],
  });
  expect(connections({ freeConnections: 60, budget: budgetOf({ isPooled: true }) })).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/each node uses up to 29 and 30 to the pooler\. Nodes that fit: 2\.$/),
  });
});

test('the finding about replication counts one slot for nodes that share the changes', () => {
  const realtime = (changes: Partial<Facts>) =>
    findingsOf({ ...empty, ...changes }).find(({ check }) => check === 'realtime')?.message;
  const budget = budgetOf({ sharesChanges: true });
  expect(realtime({})).toMatch(
    /Each node uses one replication slot and one WAL sender\. Nodes that fit: 10\.$/,
  );
  expect(realtime({ budget })).toMatch(/all nodes together use one replication slot and one WAL sender\.$/);
  expect(realtime({ budget, allowsSharedSlot: false })).toMatch(
    /Each node uses one .+, because a shared slot needs PostgreSQL 17 .+ Nodes that fit: 10\.$/,
  );
});

test('the statements about replication omit what is already set', () => {
  const replicating = { ...role, hasReplication: true };
  const statements = (changes: Partial<Facts>) =>
    findingsOf({ ...owner, ...changes }).find(({ check }) => check === 'realtime')?.statements;
  expect(statements({ roles: { supabase_replication_admin: replicating } })).toEqual([
    'alter role "app" replication;',
  ]);
  expect(statements({ roles: { supabase_replication_admin: role }, authenticator: 'accepted' })).toEqual([
    'alter role "supabase_replication_admin" replication;',
  ]);
  expect(statements({})).toEqual(['alter role "app" replication;']);
  expect(statements({ version: 150_012 })).toHaveLength(2);
});

test.each([
  ['rds_superuser', /On Amazon RDS and Aurora, set rds\.logical_replication = 1 in the parameter group/],
  ['cloudsqlsuperuser', /On Cloud SQL, set the flag cloudsql\.logical_decoding = on/],
  ['alloydbsuperuser', /On AlloyDB, set the flag alloydb\.logical_decoding = on/],
  ['azure_pg_admin', /On Azure Database for PostgreSQL, set the server parameter wal_level = logical/],
  ['neon_superuser', /On Neon, enable logical replication in the project's settings/],
])('the findings name the way of the provider with the role %s', (role, logical) => {
  const facts: Facts = {
    ...owner,
    provider: providerOf(['postgres', role]),
    walLevel: 'replica',
    freeConnections: 5,
    extensions: without('vector'),
  };
  const findings = findingsOf(facts);
  const message = (name: string) => findings.find(({ check }) => check === name)?.message ?? '';
  expect(message('realtime')).toMatch(logical);
  expect(message('connections')).toMatch(/On .+, increase max_connections in the .+\./);
  expect(message('extensions')).not.toContain('packages');
  // Accounts of a managed server can't run this statement.
  expect(statementsOf(facts).join()).not.toContain('alter system');
});

test('on Amazon RDS, roles replicate through a role', () => {
  const provider = providerOf(['rds_superuser']);
  const facts = { ...owner, provider, roles: { supabase_replication_admin: role } };
  expect(statementsOf(facts)).toEqual(
    expect.arrayContaining([
      'grant rds_replication to "app";',
      'grant rds_replication to "supabase_replication_admin";',
    ]),
  );
  expect(providerOf(['postgres'])).toBeUndefined();
});
