/**
 * Lists all commands, with a line of help for each command. The module of a command is loaded only when the user calls
 * the command.
 */
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
  promote: {
    summary: 'Make a restored copy the production server',
    load: async () => (await import('./commands/restore.ts')).promote,
  },
  stop: {
    summary: 'Stop Plinth in this folder',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  reload: {
    summary: 'Apply changed settings without a restart',
    load: async () => (await import('./commands/settings.ts')).reload,
  },
  status: {
    summary: 'Show the URLs and keys of Plinth in this folder',
    load: async () => (await import('./commands/status.ts')).status,
  },
  console: {
    summary: 'Print a new sign-in link for the Console',
    load: async () => (await import('./commands/operators.ts')).console,
  },
  mcp: {
    summary: 'Connect an AI agent over MCP',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  docs: {
    summary: 'Print and search the documentation',
    load: async () => (await import('./commands/docs.ts')).docs,
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
  'migration fetch': {
    summary: 'Write the migrations recorded in a database to files',
    load: async () => (await import('./commands/migration.ts')).migrationFetch,
  },
  'migration down': {
    summary: 'Recreate the database without the newest migrations',
    load: async () => (await import('./commands/migration.ts')).migrationDown,
  },
  'migration squash': {
    summary: 'Replace migrations with one file',
    load: async () => (await import('./commands/migration-squash.ts')).migrationSquash,
  },
  'extension list': {
    summary: 'List PostgreSQL extensions',
    load: async () => (await import('./commands/extension.ts')).extensionList,
  },
  'extension add': {
    summary: 'Write a migration that creates an extension',
    load: async () => (await import('./commands/extension.ts')).extensionAdd,
  },
  'extension remove': {
    summary: 'Write a migration that drops an extension',
    load: async () => (await import('./commands/extension.ts')).extensionRemove,
  },
  'db diff': {
    summary: 'Print the schema changes that no migration contains',
    load: async () => (await import('./commands/db/diff.ts')).dbDiff,
  },
  'db pull': {
    summary: "Write a database's schema changes to a migration",
    load: async () => (await import('./commands/db/pull.ts')).dbPull,
  },
  'db reset': {
    summary: 'Recreate the database from migrations and seeds',
    load: async () => (await import('./commands/db/reset.ts')).dbReset,
  },
  'db baseline': {
    summary: 'Write a first migration from generated types',
    load: async () => (await import('./commands/db/baseline.ts')).dbBaseline,
  },
  'db advisors': {
    summary: 'Check the database for security and performance problems',
    load: async () => (await import('./commands/db/advisors.ts')).dbAdvisors,
  },
  'db lint': {
    summary: 'Find functions with errors',
    load: async () => (await import('./commands/db/advisors.ts')).dbLint,
  },
  'db query': {
    summary: 'Run SQL and print the result',
    load: async () => (await import('./commands/db/query.ts')).dbQuery,
  },
  'db dump': {
    summary: 'Write the database to a SQL file',
    load: async () => (await import('./commands/db/dump.ts')).dbDump,
  },
  'db restore': {
    summary: 'Run a SQL file from db dump or pg_dump',
    load: async () => (await import('./commands/db/dump.ts')).dbRestore,
  },
  'db pooler-users': {
    summary: "Print the users for a pooler's configuration",
    load: async () => (await import('./commands/db/pooler-users.ts')).dbPoolerUsers,
  },
  'db push': {
    summary: 'Apply pending migrations to another database',
    load: async () => (await import('./commands/db/push.ts')).dbPush,
  },
  'migrate from': {
    summary: 'Migrate a hosted or self-hosted project into this one',
    load: async () => (await import('./commands/migrate.ts')).migrateFrom,
  },
  'migrate to': {
    summary: 'Copy this project to another server or to plain files',
    load: async () => (await import('./commands/migrate.ts')).migrateTo,
  },
  'migrate verify': {
    summary: 'Compare this project with the source or target of a migration',
    load: async () => (await import('./commands/migrate.ts')).migrateVerify,
  },
  link: {
    summary: 'Save a Plinth server or a database as a target',
    load: async () => (await import('./commands/link.ts')).link,
  },
  unlink: {
    summary: 'Remove the link to a server or database',
    load: async () => (await import('./commands/link.ts')).unlink,
  },
  deploy: {
    summary: 'Deploy the whole project to the linked server',
    load: async () => (await import('./commands/deploy.ts')).deploy,
  },
  alias: {
    summary: 'Run Plinth under the name that existing scripts use',
    load: async () => (await import('./commands/alias.ts')).alias,
  },
  inspect: {
    summary: 'Show slow statements, locks, sizes and more',
    load: async () => (await import('./commands/inspect.ts')).inspect,
  },
  'test db': {
    summary: 'Run pgTAP tests',
    load: async () => (await import('./commands/test-database.ts')).testDb,
  },
  'db test': {
    summary: 'Run the same tests as "test db"',
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
  'storage ls': {
    summary: 'List buckets, folders and objects',
    load: async () => (await import('./commands/storage.ts')).storageLs,
  },
  'storage cp': {
    summary: 'Upload or download files',
    load: async () => (await import('./commands/storage-cp.ts')).storageCp,
  },
  'storage mv': {
    summary: 'Move objects',
    load: async () => (await import('./commands/storage.ts')).storageMv,
  },
  'storage rm': {
    summary: 'Permanently delete objects, folders and buckets',
    load: async () => (await import('./commands/storage.ts')).storageRm,
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
  backup: {
    summary: 'Create a backup now',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  'backup list': {
    summary: 'List the backups',
    load: async () => (await import('./commands/backup.ts')).backupList,
  },
  'backup verify': {
    summary: 'Check that a backup can be restored',
    load: async () => (await import('./commands/backup.ts')).backupVerify,
  },
  'backup prune': {
    summary: 'Remove expired backups',
    load: async () => (await import('./commands/backup.ts')).backupPrune,
  },
  restore: {
    summary: 'Restore a backup into an empty data folder',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  upgrade: {
    summary: 'Move the data to a new PostgreSQL version',
    load: async () => (await import('./commands/upgrade.ts')).upgrade,
  },
  'functions new': {
    summary: 'Create a function',
    load: async () => (await import('./commands/functions-new.ts')).functionsNew,
  },
  'functions serve': {
    summary: 'Show function output and serve functions with different options',
    load: async () => (await import('./commands/functions-serve.ts')).functionsServe,
  },
  'functions list': {
    summary: 'List the functions of a running Plinth',
    load: async () => (await import('./commands/functions-remote.ts')).functionsList,
  },
  'functions deploy': {
    summary: 'Deploy functions to a running Plinth',
    load: async () => (await import('./commands/functions-remote.ts')).functionsDeploy,
  },
  'functions delete': {
    summary: 'Delete a deployed function',
    load: async () => (await import('./commands/functions-remote.ts')).functionsDelete,
  },
  'functions download': {
    summary: 'Download the source of deployed functions',
    load: async () => (await import('./commands/functions-remote.ts')).functionsDownload,
  },
  'branch create': {
    summary: 'Create a branch: a copy of the project with its own URL',
    load: async () => (await import('./commands/branch.ts')).branchCreate,
  },
  'branch list': {
    summary: 'List branches',
    load: async () => (await import('./commands/branch.ts')).branchList,
  },
  'branch get': {
    summary: 'Show the URLs and keys of a branch',
    load: async () => (await import('./commands/branch.ts')).branchGet,
  },
  'branch switch': {
    summary: 'Select the branch that commands change',
    load: async () => (await import('./commands/branch.ts')).branchSwitch,
  },
  'branch diff': {
    summary: 'Compare a branch with the project',
    load: async () => (await import('./commands/branch.ts')).branchDiff,
  },
  'branch merge': {
    summary: 'Apply the migrations of a branch to the project',
    load: async () => (await import('./commands/branch.ts')).branchMerge,
  },
  'branch rebase': {
    summary: 'Apply the migrations of the project to a branch',
    load: async () => (await import('./commands/branch.ts')).branchRebase,
  },
  'branch reset': {
    summary: 'Copy the project into a branch again',
    load: async () => (await import('./commands/branch.ts')).branchReset,
  },
  'branch delete': {
    summary: 'Permanently delete a branch',
    load: async () => (await import('./commands/branch.ts')).branchDelete,
  },
  'secrets set': {
    summary: 'Set function secrets',
    load: async () => (await import('./commands/secrets.ts')).secretsSet,
  },
  'secrets list': {
    summary: 'List function secrets',
    load: async () => (await import('./commands/secrets.ts')).secretsList,
  },
  'secrets unset': {
    summary: 'Remove function secrets',
    load: async () => (await import('./commands/secrets.ts')).secretsUnset,
  },
  'config push': {
    summary: 'Push settings to a running Plinth',
    load: async () => (await import('./commands/settings.ts')).configPush,
  },
  'organizations init': {
    summary: 'Write the migration for organizations, and enable them',
    load: async () => (await import('./commands/organizations.ts')).organizationsInit,
  },
  'ui add': {
    summary: 'Copy components for sign-in and accounts into your app',
    load: async () => (await import('./commands/ui-add.ts')).uiAdd,
  },
  'sso list': {
    summary: 'List identity providers for single sign-on',
    load: async () => (await import('./commands/sso.ts')).ssoList,
  },
  'sso show': {
    summary: 'Show an identity provider',
    load: async () => (await import('./commands/sso.ts')).ssoShow,
  },
  'sso add': {
    summary: 'Add an identity provider',
    load: async () => (await import('./commands/sso.ts')).ssoAdd,
  },
  'sso update': {
    summary: 'Change an identity provider',
    load: async () => (await import('./commands/sso.ts')).ssoUpdate,
  },
  'sso remove': {
    summary: 'Remove an identity provider',
    load: async () => (await import('./commands/sso.ts')).ssoRemove,
  },
  'sso info': {
    summary: 'Show the URLs for registering with an identity provider',
    load: async () => (await import('./commands/sso.ts')).ssoInfo,
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
  'operators token create': {
    summary: 'Create an access token for the Management API',
    load: async () => (await import('./commands/operators.ts')).tokenCreate,
  },
  'operators token list': {
    summary: 'List access tokens',
    load: async () => (await import('./commands/operators.ts')).tokenList,
  },
  'operators token revoke': {
    summary: 'Revoke an access token',
    load: async () => (await import('./commands/operators.ts')).tokenRevoke,
  },
  fetch: {
    summary: 'Download PostgreSQL, Deno and other programs ahead of their first use',
    load: async () => (await import('./commands/fetch.ts')).fetch,
  },
  doctor: {
    summary: 'Check this machine and this project',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
};

export const aliases: Readonly<Record<string, string>> = { seed: 'seed buckets', 'backup run': 'backup' };
