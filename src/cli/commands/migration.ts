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
  about: 'Makes supabase/migrations/<time>_NAME.sql. What comes in on stdin becomes its content.',
  options: projectOptions,
  examples: [
    ['plinth migration new add_todos', 'an empty file to write into'],
    ['pg_dump -s old | plinth migration new from_old', 'with a content'],
  ],
  run: async (input) => {
    const name = input.positionals[0]?.trim().replaceAll(' ', '_');
    if (name === undefined || name === '') throw new UsageError('A name is needed');
    if (!/^[\w.-]+$/.test(name)) throw new UsageError(`${name}: letters, digits, _ . and - make a name`);
    const dir = join(placeOf(input).projectDir, 'supabase', 'migrations');
    mkdirSync(dir, { recursive: true });
    const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const path = join(dir, `${time}_${name}.sql`);
    if (existsSync(path)) throw new CommandError(`${path} exists already.`);
    writeFileSync(path, process.stdin.isTTY ? '' : readStdin());
    print(`Created new migration at supabase/migrations/${time}_${name}.sql`);
    return 0;
  },
};

/** Empty where stdin is closed or never ends in anything. */
function readStdin(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch {
    return '';
  }
}

export const migrationList: Command = {
  name: 'migration list',
  about: 'Lists migrations in supabase/migrations beside those the database has.',
  options: projectOptions,
  examples: [['plinth migration list', 'Local and Remote, as upstream calls files and database']],
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

/** 20240131120000 -> 2024-01-31 12:00:00; other versions as they are. */
function timeOf(version: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(version);
  if (parts === null) return version;
  const [, year, month, day, hour, minute, second] = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
}

export const migrationUp: Command = {
  name: 'migration up',
  about: 'Applies the migrations that the database does not have yet, each all or nothing.',
  options: {
    ...projectOptions,
    'include-all': { type: 'boolean', help: 'Also files older than the newest applied one.' },
  },
  examples: [['plinth migration up', 'applies what is pending']],
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
  about: 'Marks versions as applied or reverted in the list of the database, without running anything.',
  options: {
    ...projectOptions,
    status: { type: 'string', value: 'STATUS', help: 'applied or reverted.' },
  },
  examples: [
    ['plinth migration repair --status reverted 20240131120000', 'the next "migration up" runs it again'],
    ['plinth migration repair --status applied 20240131120000', 'it is taken as done'],
  ],
  run: async (input) => {
    const status = input.text('status');
    if (status !== 'applied' && status !== 'reverted')
      throw new UsageError('--status must be applied or reverted');
    const versions = input.positionals;
    if (versions.length === 0) throw new UsageError('At least one version is needed');
    const wrong = versions.find((version) => !/^\d+$/.test(version));
    if (wrong !== undefined) throw new UsageError(`${wrong} is not a version: digits only`);
    const options = { needs: 'database', onProgress: say } as const;
    await perform(placeOf(input), 'migrationRepair', { versions, status }, options);
    say(`Repaired migration history: [${versions.join(' ')}] => ${status}`);
    return 0;
  },
};
