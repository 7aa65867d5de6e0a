/** Every command with its one line of help; the command itself is loaded when it is called. */
import type { Command } from './command.ts';

export interface Entry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const registry: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'Make supabase/ with a config.toml',
    load: async () => (await import('./commands/init.ts')).init,
  },
  start: {
    summary: 'Start everything, for development',
    load: async () => (await import('./commands/start.ts')).start,
  },
  serve: {
    summary: 'Start everything, for production',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  rest: {
    summary: 'Start the REST service alone, in front of a PostgreSQL of yours',
    load: async () => (await import('./commands/rest.ts')).rest,
  },
  stop: {
    summary: 'Stop what runs on this folder',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  status: {
    summary: 'Addresses and keys of what runs on this folder',
    load: async () => (await import('./commands/status.ts')).status,
  },
  console: {
    summary: 'A fresh sign-in link for the Console',
    load: async () => (await import('./commands/console.ts')).console,
  },
  'migration new': {
    summary: 'Make an empty migration',
    load: async () => (await import('./commands/migration.ts')).migrationNew,
  },
  'migration list': {
    summary: 'Migrations here and in the database',
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
    summary: 'Make the database anew from migrations and seeds',
    load: async () => (await import('./commands/db-reset.ts')).dbReset,
  },
  'db baseline': {
    summary: 'Write a first migration from generated types',
    load: async () => (await import('./commands/db-baseline.ts')).dbBaseline,
  },
  'db lint': {
    summary: 'Find functions with faults',
    load: async () => (await import('./commands/db-lint.ts')).dbLint,
  },
  'db push': {
    summary: 'Apply pending migrations to another database',
    load: async () => (await import('./commands/db-push.ts')).dbPush,
  },
  link: {
    summary: 'Remember a database for db push',
    load: async () => (await import('./commands/link.ts')).link,
  },
  unlink: {
    summary: 'Forget the linked database',
    load: async () => (await import('./commands/link.ts')).unlink,
  },
  'test db': {
    summary: 'Run the pgTAP tests of the database',
    load: async () => (await import('./commands/test-database.ts')).testDb,
  },
  'db test': {
    summary: 'The same as "test db"',
    load: async () => (await import('./commands/test-database.ts')).dbTest,
  },
  'test new': {
    summary: 'Make a pgTAP test',
    load: async () => (await import('./commands/test-database.ts')).testNew,
  },
  'seed buckets': {
    summary: 'Make the buckets of config.toml and upload their files',
    load: async () => (await import('./commands/seed-buckets.ts')).seedBuckets,
  },
  'gen types': {
    summary: 'TypeScript types of the database',
    load: async () => (await import('./commands/gen-types.ts')).genTypes,
  },
  'gen signing-key': {
    summary: 'A private key that signs tokens',
    load: async () => (await import('./commands/gen-keys.ts')).genSigningKey,
  },
  'gen bearer-jwt': {
    summary: 'A token for calling the API by hand',
    load: async () => (await import('./commands/gen-keys.ts')).genBearerJwt,
  },
  'keys list': {
    summary: 'The keys that sign tokens, and their state',
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  'keys standby': {
    summary: 'Make the key that will sign next, and publish it',
    load: async () => (await import('./commands/keys.ts')).keysStandby,
  },
  'keys rotate': {
    summary: 'Let the standby key sign from now on',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
  'keys revoke': {
    summary: 'End every token that a key has signed',
    load: async () => (await import('./commands/keys.ts')).keysRevoke,
  },
  'functions new': {
    summary: 'Make a function',
    load: async () => (await import('./commands/functions-new.ts')).functionsNew,
  },
  'functions serve': {
    summary: 'Show what functions print, serve them in another way',
    load: async () => (await import('./commands/functions-serve.ts')).functionsServe,
  },
  'users create': {
    summary: 'Make an end user',
    load: async () => (await import('./commands/users.ts')).usersCreate,
  },
  'users list': {
    summary: 'End users, newest first',
    load: async () => (await import('./commands/users.ts')).usersList,
  },
  'operators create': {
    summary: 'Let another person into the Console',
    load: async () => (await import('./commands/operators.ts')).operatorsCreate,
  },
  'operators list': {
    summary: 'Who may sign in to the Console',
    load: async () => (await import('./commands/operators.ts')).operatorsList,
  },
  doctor: {
    summary: 'Check this machine and this project',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
};

/** Other words for the same command. */
export const aliases: Readonly<Record<string, string>> = { seed: 'seed buckets' };
