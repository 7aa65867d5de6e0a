/**
 * Determines from the facts about a server which features work on that server and which statements solve each problem.
 */
import { quoteIdentifier } from '../../../../base/kernel/sql.ts';
import { budgetSettings } from '../../connection-budget.ts';
import type { Finding } from '../../types.ts';
import type { CitusFacts } from '../citus.ts';
import {
  exclusiveSchemas,
  type Facts,
  isManagedByOthers,
  manageStatement,
  preparesDatabase,
  replicationRole,
  requiredRoles,
  schemaEventTriggers,
  sharedSchemas,
} from './facts.ts';

type Outcome = Omit<Finding, 'check'>;

const oldestVersion = 150_000;
/** The first version in which accounts with CREATEROLE need the ADMIN option to grant a role. */
const adminOptionVersion = 160_000;
/** The minimum number of connections that Plinth needs, which suffices for one process with little traffic. */
const fewestConnections = 10;

/** Returns one finding per check, in a fixed order. */
export function findingsOf(facts: Facts): readonly Finding[] {
  const checks: Readonly<Record<string, (facts: Facts) => Outcome>> = {
    version: checkVersion,
    pooler: checkPooler,
    writes: checkWrites,
    encoding: checkEncoding,
    schemas: checkSchemas,
    database: checkDatabase,
    roles: checkRoles,
    service_role: checkServiceRole,
    passwords: checkPasswords,
    connections: checkConnections,
    tls: checkTls,
    realtime: checkRealtime,
    event_triggers: checkEventTriggers,
    extensions: checkExtensions,
  };
  const findings = Object.entries(checks).map(([check, run]) => ({ check, ...run(facts) }));
  return facts.citus === undefined ? findings : [...findings, { check: 'citus', ...checkCitus(facts.citus) }];
}

const ok = (message: string): Outcome => ({ status: 'ok', message, statements: [] });
const degraded = (message: string, ...statements: string[]): Outcome => ({
  status: 'degraded',
  message,
  statements,
});
const failing = (message: string, ...statements: string[]): Outcome => ({
  status: 'failing',
  message,
  statements,
});

const list = (names: readonly string[]): string => names.map(quoteIdentifier).join(', ');

export const versionText = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`;

function checkVersion({ version }: Facts): Outcome {
  const text = `The server runs PostgreSQL ${versionText(version)}`;
  return version < oldestVersion ? failing(`${text}, but 15 or newer is required.`) : ok(`${text}.`);
}

const directAdvice =
  'Specify the address of PostgreSQL itself with --database-direct-url. With a pooler in transaction mode, its address can remain in --database-url.';

function checkPooler({ pooler }: Facts): Outcome {
  switch (pooler) {
    case 'none':
      return ok('The connection goes directly to PostgreSQL.');
    case 'session':
      return degraded(
        `The connection goes through a pooler, which limits the number of connections and may not support replication. ${directAdvice}`,
      );
    case 'transaction':
      return failing(
        `The connection goes through a pooler in transaction mode, which doesn't keep session state. ${directAdvice}`,
      );
    case 'restricted':
      return failing(
        `The connection goes through a pooler that rejects or ignores startup parameters, such as PgBouncer. ${directAdvice}`,
      );
  }
}

/** Explains how to increase a parameter that requires a restart. */
function increase(
  { provider }: Facts,
  name: string,
  value: number,
): { advice: string; statements: string[] } {
  return provider === undefined
    ? { advice: '', statements: [`alter system set ${name} = ${value}; -- then restart PostgreSQL`] }
    : { advice: ` On ${provider.name}, increase ${name} in ${provider.parameters}.`, statements: [] };
}

function checkWrites({ isStandby, isReadOnly, database, login, provider }: Facts): Outcome {
  if (isStandby) {
    return failing(
      'The server is a standby, which rejects writes. Use the address of the primary, or list both hosts and add target_session_attrs=primary.',
    );
  }
  if (isReadOnly) {
    return failing(
      'Transactions are read-only by default (default_transaction_read_only).',
      // Without this statement, the following ones would fail too.
      'set default_transaction_read_only = off;',
      `alter database ${quoteIdentifier(database.name)} reset default_transaction_read_only;`,
      `alter role ${quoteIdentifier(login.name)} reset default_transaction_read_only;`,
      ...(provider === undefined
        ? ['alter system reset default_transaction_read_only; select pg_reload_conf();']
        : []),
    );
  }
  return ok('The server accepts writes.');
}

function checkEncoding({ database }: Facts): Outcome {
  if (database.encoding === 'UTF8') return ok('The encoding of the database is UTF8.');
  return failing(
    `The encoding of the database is ${database.encoding}, but UTF8 is required. Create another database and use it in the URL.`,
    "create database app encoding 'UTF8' template template0;",
  );
}

function checkSchemas(facts: Facts): Outcome {
  const { schemas, login, hasLedger, hasAuthUsers } = facts;
  const owner = quoteIdentifier(login.name);
  if (!preparesDatabase(facts)) {
    if (hasLedger) {
      return degraded(
        `The account ${login.name} doesn't own Plinth's schemas. Plinth doesn't update its tables and doesn't run scheduled jobs or database webhooks.`,
      );
    }
    return hasAuthUsers
      ? degraded(
          "The database belongs to a Supabase project. Plinth doesn't change it and doesn't run scheduled jobs or database webhooks.",
        )
      : failing(
          "The database has an auth schema that doesn't belong to Plinth or Supabase.",
          'alter schema auth rename to auth_old;',
        );
  }
  if (hasLedger) return ok('The database is prepared for Plinth.');
  const occupied = exclusiveSchemas.filter((name) => schemas[name] !== undefined);
  if (occupied.length > 0) {
    return failing(
      `Plinth needs schemas that already exist: ${occupied.join(', ')}.`,
      ...occupied.map(
        (name) => `alter schema ${quoteIdentifier(name)} rename to ${quoteIdentifier(`${name}_old`)};`,
      ),
    );
  }
  const foreign = login.isSuperuser ? [] : sharedSchemas.filter((name) => schemas[name] === false);
  if (foreign.length > 0) {
    return failing(
      `The account ${login.name} doesn't own existing schemas that Plinth extends: ${foreign.join(', ')}.`,
      ...foreign.map((name) => `alter schema ${quoteIdentifier(name)} owner to ${owner};`),
    );
  }
  return ok('Plinth can create its schemas in the database.');
}

function checkDatabase(facts: Facts): Outcome {
  const { database, login } = facts;
  if (!preparesDatabase(facts) || database.isOwned)
    return ok('The account may create objects in the database.');
  return failing(
    `The account ${login.name} doesn't own the database ${database.name}, so it can't create Plinth's schemas.`,
    `alter database ${quoteIdentifier(database.name)} owner to ${quoteIdentifier(login.name)};`,
  );
}

function checkRoles(facts: Facts): Outcome {
  const { login, roles, version } = facts;
  if (login.isSuperuser) return ok('The account is a superuser.');
  const owner = quoteIdentifier(login.name);
  if (!preparesDatabase(facts)) {
    const missing = requiredRoles.filter((name) => roles[name] === undefined);
    return missing.length === 0
      ? ok("The server has Plinth's roles.")
      : failing(
          `The server doesn't have the roles ${missing.join(', ')}. Start once with a superuser's URL.`,
        );
  }
  const isMissing = requiredRoles.some((name) => roles[name] === undefined && name !== 'service_role');
  if (isMissing && !login.canCreateRoles) {
    return failing(
      `The account ${login.name} can't create the roles that Plinth needs.`,
      `alter role ${owner} createrole;`,
    );
  }
  // Only existing roles are checked, because the account gets these privileges on the roles that it creates.
  const foreign = requiredRoles.filter((name) => {
    const role = roles[name];
    if (role === undefined) return false;
    return !role.isMember || (version >= adminOptionVersion && !facts.hasLedger && !role.isAdmin);
  });
  if (foreign.length > 0) {
    return failing(
      `The roles ${foreign.join(', ')} already exist, and the account ${login.name} can't use them.`,
      `grant ${list(foreign)} to ${owner} with admin option;`,
    );
  }
  return ok("The account can use Plinth's roles.");
}

/**
 * Whether the first start of Plinth gives the role an attribute. An account that isn't a superuser can give only
 * attributes that it has.
 */
function setsAttribute(facts: Facts, role: string, hasAttribute: boolean): boolean {
  const { login, roles, version, hasLedger } = facts;
  // Only the first start on a database sets attributes.
  if (hasLedger) return false;
  if (login.isSuperuser) return true;
  const isNew = roles[role] === undefined;
  return isNew && hasAttribute && login.canCreateRoles && version >= adminOptionVersion;
}

function checkServiceRole(facts: Facts): Outcome {
  const { login, roles } = facts;
  const role = roles.service_role;
  if (role?.bypassesRls || role?.isSuperuser || setsAttribute(facts, 'service_role', login.bypassesRls)) {
    return ok('service_role bypasses row level security.');
  }
  if (role === undefined && !preparesDatabase(facts)) return failing("The role service_role doesn't exist.");
  const owner = quoteIdentifier(login.name);
  return failing(
    `service_role can't bypass row level security, which only a superuser or an account with BYPASSRLS can set up (PostgreSQL 16 and newer).`,
    role === undefined ? 'create role service_role nologin bypassrls;' : 'alter role service_role bypassrls;',
    ...(role?.isAdmin ? [] : [`grant service_role to ${owner} with admin option;`]),
  );
}

function checkPasswords(facts: Facts): Outcome {
  const { login, manager } = facts;
  if (facts.authenticator === 'needs password' && login.isSuperuser && preparesDatabase(facts)) {
    return failing(
      "The URL doesn't contain a password. Plinth derives the passwords of its roles from it, because the server doesn't let them sign in without one. Add the password to the URL or to the password file.",
      `alter role ${quoteIdentifier(login.name)} password '…';`,
    );
  }
  if (!preparesDatabase(facts) || !isManagedByOthers(facts)) return ok("Plinth's roles can sign in.");
  if (!login.isSuperuser) {
    return ok(
      `Plinth's roles have the passwords of another project, so the account ${login.name} signs in for them.`,
    );
  }
  const owner = manager === undefined ? 'another program' : `another project with the login ${manager}`;
  const advice =
    manager === undefined
      ? "Use a different server, or transfer the roles to this login, after which the other program can't sign in with them."
      : `Use the login ${manager} in this project's URL too, or transfer the roles to this login, after which the other project can't sign in.`;
  return failing(
    `The role authenticator is already in use on this server by ${owner}. ${advice}`,
    `${manageStatement(login.name)};`,
  );
}

/** Explains how to raise the limits on connections that are too low for one node. */
function raiseLimits(facts: Facts): ReturnType<typeof increase> {
  const { tightLimits, maxConnections, budget, login, database } = facts;
  const server = tightLimits.includes('server')
    ? increase(facts, 'max_connections', Math.max(100, maxConnections + budget.direct))
    : { advice: '', statements: [] };
  const unlimited = {
    server: [],
    database: [`alter database ${quoteIdentifier(database.name)} connection limit -1;`],
    account: [`alter role ${quoteIdentifier(login.name)} connection limit -1;`],
  };
  return {
    advice: server.advice,
    statements: [...server.statements, ...tightLimits.flatMap((kind) => unlimited[kind])],
  };
}

function checkConnections(facts: Facts): Outcome {
  const { freeConnections } = facts;
  const { direct, rest, pools, sessions, pooled } = facts.budget;
  const { advice, statements } = raiseLimits(facts);
  const text = `The server accepts ${freeConnections} more connections from this account`;
  if (freeConnections < fewestConnections) {
    return failing(`${text}, but Plinth needs at least ${fewestConnections}.${advice}`, ...statements);
  }
  const parts =
    pooled === 0
      ? `${rest} for REST, ${pools} in the pools of Plinth's roles and ${sessions} for notifications, replication and locks`
      : `and ${pooled} to the pooler`;
  const use = `each node uses up to ${direct}${pooled === 0 ? ':' : ''} ${parts}`;
  return freeConnections < direct
    ? degraded(
        `${text}, but ${use}. Under load, requests can fail. Increase the limit, or lower ${budgetSettings}.${advice}`,
        ...statements,
      )
    : ok(`${text}, and ${use}. Nodes that fit: ${Math.floor(freeConnections / direct)}.`);
}

function checkTls({ isEncrypted, isLocal }: Facts): Outcome {
  if (isEncrypted) return ok('The connection is encrypted.');
  return isLocal
    ? ok('The connection stays on this machine and is not encrypted.')
    : degraded(
        "The connection isn't encrypted. Enable ssl on the server, and add sslmode=verify-full and sslrootcert to the URL.",
      );
}

function checkRealtime(facts: Facts): Outcome {
  const { walLevel, freeSlots, freeWalSenders, roles, login, pooler, provider } = facts;
  const { maxSlots, maxWalSenders } = facts;
  const off = "Realtime can't deliver database changes";
  if (walLevel !== 'logical') {
    const text = `${off} because wal_level is ${walLevel}.`;
    return provider === undefined
      ? degraded(text, 'alter system set wal_level = logical; -- then restart PostgreSQL')
      : degraded(`${text} On ${provider.name}, ${provider.logicalReplication}.`);
  }
  if (freeSlots < 1) {
    const { advice, statements } = increase(facts, 'max_replication_slots', Math.max(20, maxSlots + 10));
    return degraded(`${off} because all replication slots are in use.${advice}`, ...statements);
  }
  if (freeWalSenders < 1) {
    const { advice, statements } = increase(facts, 'max_wal_senders', Math.max(20, maxWalSenders + 10));
    return degraded(`${off} because all WAL senders are in use.${advice}`, ...statements);
  }
  if (pooler !== 'none') return degraded(`${off} through a pooler.`);
  const role = roles[replicationRole];
  // If Plinth doesn't have a password for the role, it signs in with the account.
  const signsIn =
    login.isSuperuser ||
    login.hasReplication ||
    (facts.authenticator === 'accepted' && role?.isMember === true);
  if (setsAttribute(facts, replicationRole, login.hasReplication) || (role?.hasReplication && signsIn))
    return ok(`Realtime can use logical replication. ${slotUse(facts)}`);
  return degraded(
    `${off} because ${replicationRole} or the account ${login.name} can't replicate.`,
    ...replicationStatements(facts, signsIn),
  );
}

/** Explains how many replication slots and WAL senders the nodes use. */
function slotUse({ budget, allowsSharedSlot, freeSlots, freeWalSenders }: Facts): string {
  if (budget.sharesChanges && allowsSharedSlot)
    return 'If the NATS server has JetStream, all nodes together use one replication slot and one WAL sender.';
  const reason = budget.sharesChanges
    ? ', because a shared slot needs PostgreSQL 17 and a limit in max_slot_wal_keep_size'
    : '';
  const fits = Math.min(freeSlots, freeWalSenders);
  return `Each node uses one replication slot and one WAL sender${reason}. Nodes that fit: ${fits}.`;
}

/** Returns the statements that let the account replicate as the role. Attributes that are already set are omitted. */
function replicationStatements(facts: Facts, signsIn: boolean): string[] {
  const { roles, login, provider } = facts;
  const role = roles[replicationRole];
  const owner = quoteIdentifier(login.name);
  const replicate = (name: string): string =>
    provider?.replicate(name) ?? `alter role ${quoteIdentifier(name)} replication;`;
  const ofAccount = signsIn ? [] : [replicate(login.name)];
  if (role === undefined) {
    // An account with the attribute creates the role itself.
    if (setsAttribute(facts, replicationRole, true)) return ofAccount;
    return [
      ...ofAccount,
      `create role ${replicationRole} login replication; grant ${replicationRole} to ${owner} with admin option;`,
    ];
  }
  return [
    ...ofAccount,
    ...(role.hasReplication ? [] : [replicate(replicationRole)]),
    ...(role.isMember ? [] : [`grant ${replicationRole} to ${owner};`]),
  ];
}

function checkEventTriggers(facts: Facts): Outcome {
  const { login, eventTriggers } = facts;
  const missing = schemaEventTriggers.filter((name) => !eventTriggers.includes(name));
  if (missing.length === 0 || (login.isSuperuser && preparesDatabase(facts))) {
    return ok('Schema changes are detected.');
  }
  return degraded(
    "Only a superuser can create event triggers. Without them, REST doesn't detect schema changes until NOTIFY pgrst, 'reload schema' or a restart, and the project can change Plinth's tables. To create them, use a superuser's URL for the first start.",
  );
}

function checkCitus({ version, isCoordinator, workers, lacksDecoders, rejected }: CitusFacts): Outcome {
  if (!isCoordinator)
    return failing('The server is a worker of a Citus cluster. Use the address of the coordinator.');
  if (lacksDecoders && rejected.length === 0) {
    return degraded(
      "Realtime can't deliver the changes of reference tables, because PostgreSQL doesn't load Citus's decoders.",
      `alter system set dynamic_library_path = '$libdir/citus_decoders:$libdir'; -- then restart PostgreSQL`,
    );
  }
  if (rejected.length === 0)
    return ok(`The server is the coordinator of Citus ${version} with ${workers} workers.`);
  const names = rejected.map(({ role, workers: count }) => `${role} (${count} of ${workers})`).join(', ');
  return degraded(
    `Requests for distributed tables fail, because these roles can't sign in on the workers: ${names}. Run the statements as a superuser on the coordinator. Each worker's pg_hba.conf, and pg_dist_authinfo or the coordinator's password file, must also admit these roles.`,
    ...rejected.map(({ role }) => `alter role ${quoteIdentifier(role)} login;`),
    `select create_distributed_function('auth.uid()'); -- creates the roles on the workers`,
  );
}

function checkExtensions(facts: Facts): Outcome {
  const has = (name: string): boolean => facts.extensions.includes(name);
  if (preparesDatabase(facts) && !has('pgcrypto')) {
    return failing("The server doesn't have the pgcrypto extension. Install PostgreSQL's contrib modules.");
  }
  const uses = {
    'uuid-ossp': 'uuid_generate_v4()',
    vector: 'vector columns',
    pg_cron: 'scheduled jobs',
    http: 'HTTP requests from SQL',
    pg_graphql: 'GraphQL',
    moddatetime: 'triggers that set a time',
  };
  const missing = Object.entries(uses).filter(([name]) => !has(name));
  const restricted = facts.login.isSuperuser ? [] : facts.superuserExtensions;
  if (missing.length + restricted.length === 0)
    return ok('The server has the extensions that projects use most.');
  const names = missing.map(([name, use]) => `${name} (${use})`).join(', ');
  const sentences = [
    ...(missing.length === 0
      ? []
      : [
          `The server doesn't have these extensions: ${names}. Migrations that use them fail. ${facts.provider?.extensions ?? 'Install their packages on the server.'}`,
        ]),
    ...(restricted.length === 0
      ? []
      : [`Only a superuser can create these extensions: ${restricted.join(', ')}.`]),
  ];
  return degraded(
    sentences.join(' '),
    ...restricted.map((name) => `create extension if not exists ${quoteIdentifier(name)};`),
  );
}
