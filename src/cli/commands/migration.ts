import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { type MigrationRow, perform } from '../operations.ts';
import { columns, print, say } from '../output.ts';
import { placeOf } from '../place.ts';

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
    const name = input.positionals[0]?.trim().replaceAll(' ', '_');
    if (name === undefined || name === '') throw new UsageError('A name is required');
    if (!/^[\w.-]+$/.test(name))
      throw new UsageError(`${name}: a name can contain only letters, digits, _ . and -`);
    const dir = join(placeOf(input).projectDir, 'supabase', 'migrations');
    mkdirSync(dir, { recursive: true });
    const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const path = join(dir, `${time}_${name}.sql`);
    if (existsSync(path)) throw new CommandError(`${path} already exists.`);
    writeFileSync(path, process.stdin.isTTY ? '' : readStdin());
    print(`Created new migration at supabase/migrations/${time}_${name}.sql`);
    return 0;
  },
};

/** Returns the content of stdin, or an empty string if stdin is closed or a terminal. */
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
  options: projectOptions,
  examples: [
    ['plinth migration list', 'shows files as Local and applied migrations as Remote, as upstream does'],
  ],
  run: async (input) => {
    const options = { needs: 'database', onProgress: say } as const;
    const rows = await perform<MigrationRow[]>(placeOf(input), 'migrationList', {}, options);
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

/** Formats 20240131120000 as 2024-01-31 12:00:00. Returns other versions unchanged. */
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
    'include-all': { type: 'boolean', help: 'Also applies files older than the newest applied one.' },
  },
  examples: [['plinth migration up', 'applies pending migrations']],
  run: async (input) => {
    const options = { needs: 'database', onProgress: say } as const;
    const parameters = { includeAll: input.flag('include-all') };
    const applied = await perform<string[]>(placeOf(input), 'migrationUp', parameters, options);
    say(applied.length === 0 ? 'Local database is up to date.' : `Applied ${applied.length}.`);
    return 0;
  },
};

export const migrationRepair: Command = {
  name: 'migration repair',
  takes: 'VERSION...',
  about: 'Marks migrations as applied or reverted in the database, without running them.',
  options: {
    ...projectOptions,
    status: { type: 'string', value: 'STATUS', help: 'applied or reverted.' },
  },
  examples: [
    ['plinth migration repair --status reverted 20240131120000', '"migration up" then runs it again'],
    ['plinth migration repair --status applied 20240131120000', '"migration up" then skips it'],
  ],
  run: async (input) => {
    const status = input.text('status');
    if (status !== 'applied' && status !== 'reverted')
      throw new UsageError('--status must be applied or reverted');
    const versions = input.positionals;
    if (versions.length === 0) throw new UsageError('At least one version is required');
    const wrong = versions.find((version) => !/^\d+$/.test(version));
    if (wrong !== undefined) throw new UsageError(`${wrong} isn't a version. A version contains only digits`);
    const options = { needs: 'database', onProgress: say } as const;
    await perform(placeOf(input), 'migrationRepair', { versions, status }, options);
    say(`Repaired migration history: [${versions.join(' ')}] => ${status}`);
    return 0;
  },
};
