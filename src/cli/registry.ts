/** Lists all commands with one line of help. A command's module is loaded when it's called. */
import type { Command } from './command.ts';

export interface Entry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const registry: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'Create supabase/ with a config.toml',
    load: async () => (await import('./commands/init.ts')).init,
  },
  start: {
    summary: 'Start all services for development',
    load: async () => (await import('./commands/start.ts')).start,
  },
  serve: {
    summary: 'Start all services for production',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  rest: {
    summary: 'Start only the REST service for your own PostgreSQL',
    load: async () => (await import('./commands/rest.ts')).rest,
  },
  stop: {
    summary: 'Stop Plinth in this folder',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  status: {
    summary: 'Show the URLs and keys of Plinth in this folder',
    load: async () => (await import('./commands/status.ts')).status,
  },
  console: {
    summary: 'Print a new sign-in link for the Console',
    load: async () => (await import('./commands/console.ts')).console,
  },
  'migration new': {
    summary: 'Create an empty migration',
    load: async () => (await import('./commands/migration.ts')).migrationNew,
  },
  'migration list': {
    summary: 'List local and applied migrations',
    load: async () => (await import('./commands/migration.ts')).migrationList,
  },
  'migration up': {
    summary: 'Apply pending migrations',
    load: async () => (await import('./commands/migration.ts')).migrationUp,
  },
  'migration repair': {
    summary: 'Correct the list of applied migrations',
    load: async () => (await import('./commands/migration.ts')).migrationRepair,
  },
  'db reset': {
    summary: 'Recreate the database from migrations and seeds',
    load: async () => (await import('./commands/db-reset.ts')).dbReset,
  },
  'db baseline': {
    summary: 'Write a first migration from generated types',
    load: async () => (await import('./commands/db-baseline.ts')).dbBaseline,
  },
  'db lint': {
    summary: 'Find functions with errors',
    load: async () => (await import('./commands/db-lint.ts')).dbLint,
  },
  'db push': {
    summary: 'Apply pending migrations to another database',
    load: async () => (await import('./commands/db-push.ts')).dbPush,
  },
  link: {
    summary: 'Save a database as the target of db push',
    load: async () => (await import('./commands/link.ts')).link,
  },
  unlink: {
    summary: 'Remove the link to a database',
    load: async () => (await import('./commands/link.ts')).unlink,
  },
  'test db': {
    summary: 'Run pgTAP tests',
    load: async () => (await import('./commands/test-database.ts')).testDb,
  },
  'db test': {
    summary: 'Same as "test db"',
    load: async () => (await import('./commands/test-database.ts')).dbTest,
  },
  'test new': {
    summary: 'Create a pgTAP test',
    load: async () => (await import('./commands/test-database.ts')).testNew,
  },
  'seed buckets': {
    summary: 'Create the buckets in config.toml and upload their files',
    load: async () => (await import('./commands/seed-buckets.ts')).seedBuckets,
  },
  'gen types': {
    summary: 'Print database types',
    load: async () => (await import('./commands/gen-types.ts')).genTypes,
  },
  'gen signing-key': {
    summary: 'Generate a private key that signs tokens',
    load: async () => (await import('./commands/gen-keys.ts')).genSigningKey,
  },
  'gen bearer-jwt': {
    summary: 'Print a token for manual API calls',
    load: async () => (await import('./commands/gen-keys.ts')).genBearerJwt,
  },
  'keys list': {
    summary: 'List the keys that sign tokens',
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  'keys standby': {
    summary: 'Create and publish the next signing key',
    load: async () => (await import('./commands/keys.ts')).keysStandby,
  },
  'keys rotate': {
    summary: 'Make a standby key the current signing key',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
  'keys revoke': {
    summary: 'Invalidate all tokens that a key signed',
    load: async () => (await import('./commands/keys.ts')).keysRevoke,
  },
  'functions new': {
    summary: 'Create a function',
    load: async () => (await import('./commands/functions-new.ts')).functionsNew,
  },
  'functions serve': {
    summary: 'Show function output and serve functions with other options',
    load: async () => (await import('./commands/functions-serve.ts')).functionsServe,
  },
  'users create': {
    summary: 'Create an end user',
    load: async () => (await import('./commands/users.ts')).usersCreate,
  },
  'users list': {
    summary: 'List end users, newest first',
    load: async () => (await import('./commands/users.ts')).usersList,
  },
  'operators create': {
    summary: 'Create a Console operator',
    load: async () => (await import('./commands/operators.ts')).operatorsCreate,
  },
  'operators list': {
    summary: 'List Console operators',
    load: async () => (await import('./commands/operators.ts')).operatorsList,
  },
  doctor: {
    summary: 'Check this machine and this project',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
};

/** Aliases of commands. */
export const aliases: Readonly<Record<string, string>> = { seed: 'seed buckets' };
