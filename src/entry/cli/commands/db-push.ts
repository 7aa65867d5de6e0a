import { createInterface } from 'node:readline/promises';
import { loadConfig, shellEnvironment } from '../../../platform/config/index.ts';
import { openOtherDatabase } from '../../../platform/database/index.ts';
import { announcing, type PushPlan, planPush, push } from '../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { readLink, shownTarget } from '../linked.ts';
import { print, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { type MigrationRow, perform } from '../remote-calls.ts';

export const dbPush: Command = {
  name: 'db push',
  about:
    'Applies pending migrations to another database, set with --db-url or "plinth link". Each file is\n' +
    'applied in full or not at all, as the role in the URL. --local is the same as "plinth migration up".',
  options: {
    ...projectOptions,
    'db-url': { type: 'string', value: 'URL', help: 'URL of the target database.' },
    linked: { type: 'boolean', help: 'Pushes to the linked database (default).' },
    local: { type: 'boolean', help: "Pushes to this project's database." },
    'dry-run': { type: 'boolean', help: 'Lists the pending changes without applying them.' },
    'include-all': {
      type: 'boolean',
      help: 'Also applies migrations that are older than the newest applied migration.',
    },
    'include-roles': { type: 'boolean', help: 'Runs supabase/roles.sql first.' },
    'include-seed': { type: 'boolean', help: 'Runs new seeds last.' },
    password: {
      type: 'string',
      short: 'p',
      value: 'PASSWORD',
      help: 'Password, if the URL has none. Default: the SUPABASE_DB_PASSWORD environment variable.',
    },
    yes: { type: 'boolean', help: "Skips the confirmation. Without a terminal, it's always skipped." },
  },
  examples: [
    ['plinth db push --dry-run', 'lists the migrations that are missing from the linked database'],
    [
      'plinth db push --db-url postgresql://postgres:secret@db.example/app',
      "pushes to a database that isn't linked",
    ],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const named = ['db-url', 'linked', 'local'].filter((name) => input.text(name) !== undefined);
    if (named.length > 1)
      throw new UsageError(`${named.map((name) => `--${name}`).join(' and ')} can't be used together`);
    if (input.flag('dry-run')) say('DRY RUN: migrations will *not* be pushed to the database.');
    if (input.flag('local')) return await pushToOwn(location, input);
    const { url, shown } = targetOf(location, input);
    const other = await openOtherDatabase(url, {
      password: input.text('password') ?? shellEnvironment().SUPABASE_DB_PASSWORD,
      session: 'project',
    });
    try {
      const { config } = loadConfig({ projectDir: location.projectDir });
      const deps = { pool: other.pool, config, projectDir: location.projectDir, onProgress: say };
      const plan = await planPush(deps, {
        includeAll: input.flag('include-all'),
        includeRoles: input.flag('include-roles'),
        includeSeed: input.flag('include-seed'),
      });
      if (isEmpty(plan)) {
        print('Remote database is up to date.');
        return 0;
      }
      say([`To ${shown}:`, ...linesOf(plan)].join('\n'));
      if (!input.flag('dry-run')) {
        if (!(await isAgreed(input))) return 1;
        await announcing(other, say, () => push(deps, plan));
      }
      print('Finished db push.');
      return 0;
    } finally {
      await other.stop();
    }
  },
};

/** Returns the target database. @throws {CommandError} if neither the command line nor `link` specifies a database */
function targetOf(location: ProjectLocation, input: Input): { url: string; shown: string } {
  const url = input.text('db-url');
  if (url !== undefined) return { url, shown: shownTarget({ url }) };
  const linked = readLink(location);
  if (linked !== undefined) return { url: linked.url, shown: shownTarget(linked) };
  throw new CommandError(
    'No database is linked.',
    'Use --db-url URL, or run "plinth link" once. --local pushes to this project\'s database.',
  );
}

const isEmpty = ({ roles, migrations, seeds }: PushPlan): boolean =>
  roles === undefined && migrations.length === 0 && seeds.length === 0;

function linesOf({ roles, migrations, seeds }: PushPlan): string[] {
  return [
    ...(roles === undefined ? [] : ['supabase/roles.sql']),
    ...migrations.map(({ shownPath }) => shownPath),
    ...seeds.map(({ shownPath, isChanged }) => (isChanged ? `${shownPath} (hash update)` : shownPath)),
  ].map((line) => ` • ${line}`);
}

async function isAgreed(input: Input): Promise<boolean> {
  if (input.flag('yes') || !process.stdin.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return !/^n/i.test((await terminal.question('Apply them? [Y/n] ')).trim());
  } finally {
    terminal.close();
  }
}

async function pushToOwn(location: ProjectLocation, input: Input): Promise<number> {
  for (const name of ['include-roles', 'include-seed'])
    if (input.flag(name))
      say(`--${name}: to run roles and seeds in this project's database, use "plinth db reset".`);
  const options = { needs: 'database', onProgress: say } as const;
  if (input.flag('dry-run')) {
    const rows = await perform<MigrationRow[]>(location, 'migrationList', {}, options);
    const pending = rows.filter(({ local, applied }) => local && !applied);
    say(
      pending.map(({ version, name }) => ` • ${version}_${name}.sql`).join('\n') ||
        'Local database is up to date.',
    );
    return 0;
  }
  const applied = await perform<string[]>(
    location,
    'migrationUp',
    { includeAll: input.flag('include-all') },
    options,
  );
  print(applied.length === 0 ? 'Local database is up to date.' : 'Finished db push.');
  return 0;
}
