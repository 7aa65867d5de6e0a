const table = {
  file_unwritable: {
    message: (d: Details) => `The file ${d.file} can't be written: ${d.reason}`,
    hint: 'Check the folder and its permissions.',
  },
  read_failed: {
    message: (d: Details) => `The database can't be dumped: ${d.reason}`,
    hint: 'Use a role that can read all tables and bypasses row-level security, such as postgres.',
  },
  schema_unknown: {
    message: (d: Details) => `The database doesn't have a schema named ${d.schema}.`,
    hint: 'Check --schema. Names are case-sensitive.',
  },
  command_unsupported: {
    message: (d: Details) =>
      `Line ${d.line} is the psql command ${d.command}, which "plinth db restore" doesn't run.`,
    hint: 'Remove the line, or restore the file with psql. For several databases, restore one file per database.',
  },
  incomplete: {
    message: (d: Details) => `The file ends inside the statement that starts at line ${d.line}.`,
    hint: 'The dump is incomplete. Create it again.',
  },
  statement_failed: {
    message: (d: Details) => `Line ${d.line}: ${d.reason}`,
    hint: 'Nothing was restored, because all statements run in one transaction. With --keep-going, statements that fail are skipped.',
  },
  too_many_locks: {
    message: (d: Details) =>
      `Line ${d.line}: the server can't hold the locks that one transaction needs to create so many objects.`,
    hint: 'Nothing was restored. Increase max_locks_per_transaction (in config.toml under [db.settings]; 1024 is enough for about 25,000 tables), restart the server and restore again.',
  },
  connection_lost: {
    message: (d: Details) => `The connection to the database was lost at line ${d.line}: ${d.reason}`,
    hint: 'Start again with an empty database.',
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

type Details = Readonly<Record<string, string | number | undefined>>;
export type DumpErrorCode = keyof typeof table;

/** An error shown to the user who ran the command. */
export class DumpError extends Error {
  readonly code: DumpErrorCode;
  readonly hint: string;

  constructor(code: DumpErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'DumpError';
    this.code = code;
    this.hint = table[code].hint;
  }
}

export const dumpErrors = table;
