/** The errors that can prevent the database from starting, with a message and a hint for each error code. */

const table = {
  platform: {
    message: (d: Details) => `No embedded PostgreSQL is installed for ${d.platform}.`,
    hint: 'Run npm ci without --omit=optional, or use a different PostgreSQL server with --database-url.',
  },
  locked: {
    message: (d: Details) =>
      `The data folder ${d.dir} is in use by process ${d.pid}, started ${d.startedAt}${d.port ? `, with PostgreSQL on port ${d.port}` : ''}.`,
    hint: 'Stop that process with "plinth stop", or use another folder with --data-dir.',
  },
  port_taken: {
    message: (d: Details) =>
      `Port ${d.port} on ${d.host} is already in use, so PostgreSQL can't listen on it.`,
    hint: 'Stop the program that uses this port, or set another port with --db-port (0 for a free port) or [db] port in config.toml.',
  },
  folder_unwritable: {
    message: (d: Details) => `The data folder ${d.dir} isn't writable (${d.reason}).`,
    hint: 'Check the permissions of the folder and the free space, or use another folder with --data-dir.',
  },
  folder_foreign: {
    message: (d: Details) =>
      `The folder ${d.dir} isn't empty and isn't one of Plinth's PostgreSQL data folders.`,
    hint: "Move the folder's contents elsewhere, or use another folder with --data-dir. The folder wasn't changed.",
  },
  wrong_version: {
    message: (d: Details) =>
      `The data folder ${d.dir} was created by PostgreSQL ${d.found}, and this version of Plinth uses PostgreSQL ${d.expected}, so run "plinth upgrade" first.`,
    hint: '"plinth upgrade --check" checks the upgrade without changing anything.',
  },
  newer_version: {
    message: (d: Details) =>
      `The data folder ${d.dir} was created by PostgreSQL ${d.found}, which is newer than PostgreSQL ${d.expected} in this version of Plinth.`,
    hint: 'Install the version of Plinth that created the folder. Nothing was changed.',
  },
  no_cluster: {
    message: (d: Details) => `The folder ${d.dir} doesn't contain a database.`,
    hint: 'Use --workdir to specify the project folder, or --data-dir to specify its data folder.',
  },
  no_identity: {
    message: (d: Details) =>
      `PostgreSQL can't run as root, and Plinth found no other user that can use ${d.dir}.`,
    hint: 'Start Plinth as a regular user, install util-linux (unshare), or use a folder that the user nobody can access.',
  },
  restore_unfinished: {
    message: (d: Details) => `A restore into the data folder ${d.dir} didn't finish.`,
    hint: 'Delete the content of the folder and run "plinth restore" again.',
  },
  initdb_failed: {
    message: (d: Details) => `Failed to initialize the data folder ${d.dir}: ${d.reason}`,
    hint: 'No files were left behind. Start Plinth again to retry.',
  },
  start_failed: {
    message: (d: Details) => `PostgreSQL didn't start: ${d.reason}`,
    hint: "The lines above are PostgreSQL's output. Check the settings under [db.settings] in config.toml.",
  },
  tablespaces: {
    message: (d: Details) => `The data folder ${d.dir} has tablespaces, so it can't be copied.`,
    hint: 'Move the tables to the default tablespace, and drop the other tablespaces.',
  },
  extension_folder: {
    message: (d: Details) => `The extension folder ${d.dir} can't be used: ${d.reason}.`,
    hint: 'Correct [database] extension_folders in plinth.toml.',
  },
  types_timeout: {
    message: (d: Details) => `The database didn't respond within ${d.seconds} seconds.`,
    hint: 'Increase --query-timeout, or include fewer schemas with --schema.',
  },
  still_running: {
    message: (d: Details) =>
      `PostgreSQL from an earlier run (process ${d.pid}) is still using ${d.dir} and didn't exit.`,
    hint: 'End that process manually, and then start Plinth again.',
  },
  bad_url: {
    message: (d: Details) => `The database URL is invalid: ${d.reason}`,
    hint: 'Use the form postgresql://user:password@host:5432/database or host=… user=… dbname=….',
  },
  unusable: {
    message: (d: Details) => `Plinth can't use the database at ${d.host}. ${d.reason}`,
    hint: 'Nothing was changed. Run "plinth doctor --database-url URL" to check the server again.',
  },
  unreachable: {
    message: (d: Details) => `Failed to connect to the database at ${d.host} as ${d.user}: ${d.reason}`,
    hint: 'Check the host, port, user and password in the database URL, and that the server accepts the connection.',
  },
  login_refused: {
    message: (d: Details) => `Plinth can't sign in to the database as ${d.role}: ${d.reason}`,
    hint: "Services sign in with the password in the database URL. Add a password to the URL, and allow the services' roles in pg_hba.conf.",
  },
  no_password: {
    message: (d: Details) => `The database URL doesn't contain the password of ${d.user} at ${d.host}.`,
    hint: "The passwords of Plinth's roles are derived from it. Add the password to the URL or to the password file.",
  },
  pooler_login: {
    message: (d: Details) =>
      `Plinth can't sign in as ${d.role} through the pooler at ${d.host}:${d.port}: ${d.reason}`,
    hint: '"plinth db pooler-users --database-url URL" prints the users for the pooler\'s configuration (docs/scale.md, "Connection poolers").',
  },
  pooler_elsewhere: {
    message: (d: Details) =>
      `The pooler at ${d.host}:${d.port} leads to a different server or database than the direct URL.`,
    hint: 'Both URLs must lead to the same database of the primary server.',
  },
  schema_unreleased: {
    message: (d: Details) =>
      `The database ${d.database} was created by an unreleased version of Plinth (${d.file}), so run "plinth db dump" with that version and "plinth db restore" with this version on a new database.`,
    hint: 'Nothing was changed, so that version still starts. docs/operate.md lists the commands ("Stop and update").',
  },
  schema_newer: {
    message: (d: Details) =>
      `The database ${d.database} was changed by a newer version of Plinth (${d.file}${Number(d.count) > 1 ? ` and ${Number(d.count) - 1} more` : ''}), so this version doesn't start on it.`,
    hint: 'Install the newer version again, or restore a backup from before the upgrade. Nothing was changed.',
  },
  migration_failed: {
    message: (d: Details) => `Failed to apply ${d.file}: ${d.reason}`,
    hint: 'The whole file was rolled back. The files before this file remain applied.',
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

export type DatabaseErrorCode = keyof typeof table;

type Details = Readonly<Record<string, string | number | undefined>>;

/**
 * An error during startup or migration. The message is shown to the user who started Plinth, and `hint` describes how
 * to fix the problem.
 */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;
  readonly hint: string;
  readonly details: Details;

  constructor(code: DatabaseErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'DatabaseError';
    this.code = code;
    const { hint } = table[code];
    this.hint = details.statements ? `An administrator can run:\n${details.statements}\n${hint}` : hint;
    this.details = details;
  }
}

export const databaseErrors = table;
