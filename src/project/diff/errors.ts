const table = {
  cycle: {
    message: (d: Details) => `These changes depend on each other, so they can't be sorted: ${d.statements}`,
    hint: 'Write a migration that makes one of these changes in two steps, and run the command again.',
  },
  change_unsupported: {
    message: (d: Details) => `This change can't be written as a migration: ${d.reason}`,
    hint: 'Write a migration for this change, and run the command again.',
  },
  other_version: {
    message: () => 'The server describes its schema in the format of another version of Plinth.',
    hint: 'Run the command with the version of Plinth that the server runs, or use --db-url with the URL of its database.',
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

type Details = Readonly<Record<string, string | number | undefined>>;
export type DiffErrorCode = keyof typeof table;

/** An error shown to the user who ran the command. */
export class DiffError extends Error {
  readonly code: DiffErrorCode;
  readonly hint: string;

  constructor(code: DiffErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'DiffError';
    this.code = code;
    this.hint = table[code].hint;
  }
}

export const diffErrors = table;
