import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFolder } from '../../../project/folder/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { findRunning } from '../control.ts';
import { CommandError } from '../errors.ts';
import { databaseTarget, historyOf, historyOptions, recordedOf, repair } from '../history-target.ts';
import { newMigration, writeMigration } from '../migration-file.ts';
import { columns, print, progressPrinter, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { type MigrationRow, perform } from '../remote-calls.ts';

const database = { needs: 'database', onProgress: say } as const;

export const migrationNew: Command = {
  name: 'migration new',
  takes: 'NAME',
  about: 'Creates supabase/migrations/<time>_NAME.sql with the content of stdin.',
  options: projectOptions,
  examples: [
    ['plinth migration new add_todos', 'creates an empty migration'],
    ['pg_dump -s old | plinth migration new from_old', 'creates a migration from the content of stdin'],
  ],
  run: async (input) => {
    const [name = ''] = input.positionals;
    if (name.trim() === '') throw new UsageError('A name is required');
    const migration = newMigration(locationOf(input).projectDir, name);
    writeMigration(migration, process.stdin.isTTY ? '' : readStdin());
    print(`Created new migration at ${migration.shownPath}`);
    return 0;
  },
};

/** Returns the content of stdin, or an empty string if stdin is closed or is a terminal. */
function readStdin(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch {
    return '';
  }
}

export const migrationList: Command = {
  name: 'migration list',
  about: 'Lists the migrations in supabase/migrations and those applied to the database.',
  options: { ...projectOptions, ...historyOptions },
  examples: [
    ['plinth migration list', 'shows files as Local and applied migrations as Remote, as upstream does'],
    ['plinth migration list --linked', 'compares the files with the linked server or database'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const rows = await historyOf(location, input, databaseTarget(location, input));
    const cells = rows.map(({ version, name, local, applied }) => [
      local ? version : '',
      applied ? version : '',
      timeOf(version),
      name,
    ]);
    print(columns([['Local', 'Remote', 'Time (UTC)', 'Name'], ...cells]));
    return 0;
  },
};

/** Formats a version such as 20240131120000 as 2024-01-31 12:00:00. Returns any other version unchanged. */
function timeOf(version: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(version);
  if (parts === null) return version;
  const [, year, month, day, hour, minute, second] = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
}

export const migrationUp: Command = {
  name: 'migration up',
  about: 'Applies pending migrations. Each file is applied in full or not at all.',
  options: {
    ...projectOptions,
    'include-all': {
      type: 'boolean',
      help: 'Also applies migrations that are older than the newest applied migration.',
    },
  },
  examples: [['plinth migration up', 'applies pending migrations']],
  run: async (input) => {
    const options = { needs: 'database', onProgress: say } as const;
    const parameters = { includeAll: input.flag('include-all') };
    const applied = await perform<string[]>(locationOf(input), 'migrationUp', parameters, options);
    say(applied.length === 0 ? 'Local database is up to date.' : `Applied ${applied.length}.`);
    return 0;
  },
};

export const migrationRepair: Command = {
  name: 'migration repair',
  takes: 'VERSION...',
  about:
    'Marks migrations as applied or reverted in the database, without running them. Without versions, the whole\n' +
    'history is replaced with the files in supabase/migrations, or emptied.',
  options: {
    ...projectOptions,
    ...historyOptions,
    status: { type: 'string', value: 'STATUS', help: 'applied or reverted.' },
    yes: { type: 'boolean', help: 'Repairs the entire migration history without prompting.' },
  },
  examples: [
    [
      'plinth migration repair --status reverted 20240131120000',
      'lets "migration up" run this migration again',
    ],
    [
      'plinth migration repair --status applied 20240131120000 --linked',
      'lets "db push" skip this migration',
    ],
    ['plinth migration repair --status applied --yes', 'marks exactly the existing files as applied'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const status = input.text('status');
    if (status !== 'applied' && status !== 'reverted')
      throw new UsageError('--status must be applied or reverted');
    const wrong = input.positionals.find((version) => !/^\d+$/.test(version));
    if (wrong !== undefined) throw new UsageError(`${wrong} isn't a version. A version contains only digits`);
    const target = databaseTarget(location, input);
    const isWhole = input.positionals.length === 0;
    if (isWhole && !(await confirm(input, wholeQuestion, false)))
      throw new CommandError(
        'Nothing was repaired.',
        'Specify the versions, or use --yes to repair the whole history.',
      );
    const versions = isWhole
      ? readMigrationFolder(join(location.projectDir, 'supabase')).files.map(({ version }) => version)
      : input.positionals;
    await repair(location, input, target, { versions, status, isWhole });
    say(
      isWhole
        ? 'Repaired the migration history.'
        : `Repaired migration history: [${versions.join(' ')}] => ${status}`,
    );
    return 0;
  },
};

const wholeQuestion =
  'Do you want to repair the entire migration history table to match local migration files?';

export const migrationFetch: Command = {
  name: 'migration fetch',
  about:
    'Writes the migrations that a database has recorded to supabase/migrations, for example those that the dashboard\n' +
    'applied. Existing files with the same version and name are replaced.',
  options: {
    ...projectOptions,
    ...historyOptions,
    linked: { type: 'boolean', help: 'Reads the linked server or database (default).' },
    local: { type: 'boolean', help: "Reads this project's database." },
    yes: {
      type: 'boolean',
      help: 'Replaces files without prompting. In a non-interactive shell, files are always replaced.',
    },
  },
  examples: [
    ['plinth migration fetch', 'writes the migrations of the linked server or database'],
    ['plinth migration fetch --db-url postgresql://…', 'writes the migrations of another database'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const target = databaseTarget(location, input, 'linked');
    const dir = join(location.projectDir, 'supabase', 'migrations');
    const isEmpty = !existsSync(dir) || readdirSync(dir).length === 0;
    const question = 'Do you want to overwrite existing files in supabase/migrations directory?';
    if (!isEmpty && !(await confirm(input, question, true))) throw new CommandError('Nothing was written.');
    const recorded = await recordedOf(location, input, target);
    mkdirSync(dir, { recursive: true });
    for (const { entry, text } of recorded) writeFileSync(join(dir, entry), text);
    say(`Wrote ${recorded.length} migrations to supabase/migrations.`);
    return 0;
  },
};

export const migrationDown: Command = {
  name: 'migration down',
  about:
    "Deletes this project's database and storage files, and then reapplies all migrations except the newest ones. All data\n" +
    'in the database is lost. This is the same as "db reset --last N", after a confirmation.',
  options: {
    ...projectOptions,
    local: { type: 'boolean', help: "Uses this project's database (default)." },
    last: { type: 'string', value: 'N', help: 'Number of migrations to revert. Default: 1.' },
    yes: {
      type: 'boolean',
      help: "Skips the confirmation. Required if the command doesn't run in a terminal.",
    },
  },
  examples: [['plinth migration down --last 2', 'reverts the newest two migrations']],
  run: async (input) => {
    const location = locationOf(input);
    const last = input.text('last') ?? '1';
    if (!/^[1-9]\d*$/.test(last)) throw new UsageError('--last must be 1 or greater');
    const rows = await perform<MigrationRow[]>(
      location,
      'migrationList',
      {},
      { ...database, needs: 'running' },
    );
    const applied = rows.filter((row) => row.applied).map(({ version }) => version);
    const count = Number(last);
    if (applied.length <= count)
      throw new CommandError(
        `--last must be smaller than total applied migrations: ${applied.length}`,
        'To revert all migrations, remove their files and run "plinth db reset".',
      );
    const reverted = applied.slice(-count);
    const question = [
      'Do you want to revert the following migrations?',
      ...reverted.map((version) => ` • ${version}`),
      'WARNING: you will lose all data in this database.',
    ].join('\n');
    if (!(await confirm(input, question, false)))
      throw new CommandError('Nothing was reverted.', 'Without a terminal, use --yes to confirm.');
    const upToVersion = applied.at(-1 - count);
    say(`Resetting database to version: ${upToVersion}`);
    const running = await findRunning(location.dataDir);
    await running?.call(
      'reset',
      { upToVersion, seed: true, sqlPaths: [], keepGoing: false },
      progressPrinter(say),
    );
    return 0;
  },
};
