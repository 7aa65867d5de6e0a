/** Every error that can prevent the database from starting: code, message and hint. */

const table = {
  platform: {
    message: (d: Details) => `No embedded PostgreSQL is installed for ${d.platform}.`,
    hint: 'Run npm ci without --omit=optional, or use another PostgreSQL with --database-url.',
  },
  locked: {
    message: (d: Details) =>
      `The data folder ${d.dir} is in use by process ${d.pid}, started ${d.startedAt}${d.port ? `, with PostgreSQL on port ${d.port}` : ''}.`,
    hint: 'Stop that process first (plinth stop), or choose another folder with --data-dir.',
  },
  port_taken: {
    message: (d: Details) =>
      `Port ${d.port} on ${d.host} is already taken, so PostgreSQL cannot listen there.`,
    hint: 'Stop what is listening there, or choose another port with --db-port (0 takes a free one) or [db] port in config.toml.',
  },
  folder_unwritable: {
    message: (d: Details) => `The data folder ${d.dir} cannot be written (${d.reason}).`,
    hint: 'Check its permissions and the free space, or choose another folder with --data-dir.',
  },
  folder_foreign: {
    message: (d: Details) =>
      `The folder ${d.dir} is not empty and holds no PostgreSQL data folder of Plinth.`,
    hint: 'Move its content away or choose another folder with --data-dir; nothing was changed in it.',
  },
  wrong_version: {
    message: (d: Details) =>
      `The data folder ${d.dir} was made by PostgreSQL ${d.found}; this is PostgreSQL ${d.expected}.`,
    hint: 'Use the version of Plinth that made it, or dump and restore the data.',
  },
  no_identity: {
    message: (d: Details) => `PostgreSQL refuses to run as root, and no other way was found for ${d.dir}.`,
    hint: 'Start Plinth as an ordinary user, or install util-linux (unshare), or use a folder that the user nobody can enter.',
  },
  initdb_failed: {
    message: (d: Details) => `The data folder ${d.dir} could not be initialised: ${d.reason}`,
    hint: 'Nothing is left behind; the next start tries again.',
  },
  start_failed: {
    message: (d: Details) => `PostgreSQL did not start: ${d.reason}`,
    hint: "The lines above are PostgreSQL's own. A setting under [db.settings] in config.toml may be the cause.",
  },
  still_running: {
    message: (d: Details) =>
      `A PostgreSQL left over from an earlier run (process ${d.pid}) still uses ${d.dir} and does not end.`,
    hint: 'End that process by hand, then start again.',
  },
  bad_url: {
    message: (d: Details) => `The database URL is not usable: ${d.reason}`,
    hint: 'Give it as postgresql://user:password@host:5432/database.',
  },
  version_too_old: {
    message: (d: Details) => `The database at ${d.host} runs PostgreSQL ${d.found}; 15 or newer is needed.`,
    hint: 'Upgrade it, or leave --database-url out to use the embedded PostgreSQL 18.',
  },
  unreachable: {
    message: (d: Details) => `The database at ${d.host} cannot be used as ${d.user}: ${d.reason}`,
    hint: 'Check host, port, user and password of the database URL, and that the server accepts the connection.',
  },
  login_refused: {
    message: (d: Details) => `The database does not let Plinth sign in as ${d.role}: ${d.reason}`,
    hint: 'Services sign in with the password of the database URL: give the URL one, and allow its roles in pg_hba.conf.',
  },
  migration_failed: {
    message: (d: Details) => `Applying ${d.file} failed: ${d.reason}`,
    hint: 'The file was rolled back as a whole; files before it stay applied.',
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

export type DatabaseErrorCode = keyof typeof table;

type Details = Readonly<Record<string, string | number | undefined>>;

/** An error during start or migration, shown to the user who started Plinth. `hint` contains the remedy. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;
  readonly hint: string;
  readonly details: Details;

  constructor(code: DatabaseErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'DatabaseError';
    this.code = code;
    this.hint = table[code].hint;
    this.details = details;
  }
}

export const databaseErrors = table;
