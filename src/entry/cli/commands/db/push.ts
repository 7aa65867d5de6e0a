import { createInterface } from 'node:readline/promises';
import { loadConfig, shellEnvironment } from '../../../../platform/config/index.ts';
import { openOtherDatabase } from '../../../../platform/database/index.ts';
import { announcing, appliedFiles, type PushPlan, planPush, push } from '../../../../project/folder/index.ts';
import { type Command, type Input, projectOptions } from '../../command.ts';
import { requireOneTarget } from '../../history-target.ts';
import { type Linked, readLinked, shownTarget } from '../../linked.ts';
import type { ManagementClient } from '../../management/client.ts';
import { planServerPush, pushToServer } from '../../management/push.ts';
import { print, say } from '../../output.ts';
import { locationOf, type ProjectLocation } from '../../project-location.ts';
import { type MigrationRow, perform } from '../../remote-calls.ts';

export const dbPush: Command = {
  name: 'db push',
  about:
    'Applies pending migrations to the linked Plinth server, or to another database set with --db-url or "plinth link".\n' +
    'Each file is applied in full or not at all. A server applies the files as the role postgres, a database as the\n' +
    'role in the URL. --local is the same as "plinth migration up".',
  options: {
    ...projectOptions,
    'db-url': { type: 'string', value: 'URL', help: 'URL of the target database.' },
    linked: { type: 'boolean', help: 'Pushes to the linked server or database (default).' },
    local: { type: 'boolean', help: "Pushes to this project's database." },
    'dry-run': { type: 'boolean', help: 'Lists the pending changes without applying them.' },
    'include-all': {
      type: 'boolean',
      help: 'Also applies migrations that are older than the newest applied migration.',
    },
    'include-roles': { type: 'boolean', help: 'Runs supabase/roles.sql first.' },
    'include-seed': { type: 'boolean', help: 'Runs new seeds last.' },
    'skip-vault': { type: 'boolean', help: "Doesn't update the secrets in [db.vault]." },
    password: {
      type: 'string',
      short: 'p',
      value: 'PASSWORD',
      help: 'Password, if the URL has none. Default: the SUPABASE_DB_PASSWORD environment variable.',
    },
    yes: { type: 'boolean', help: "Skips the confirmation. Without a terminal, it's always skipped." },
  },
  examples: [
    ['plinth db push --dry-run', 'lists the migrations that are missing from the linked server or database'],
    [
      'plinth db push --db-url postgresql://postgres:secret@db.example/app',
      "pushes to a database that isn't linked",
    ],
  ],
  run: async (input) => {
    const location = locationOf(input);
    requireOneTarget(input);
    if (input.flag('dry-run')) say('DRY RUN: migrations will *not* be pushed to the database.');
    if (input.flag('local')) return await pushToOwn(location, input);
    const url = input.text('db-url');
    const target: Linked = url === undefined ? readLinked(location) : { database: { url } };
    if ('server' in target) return await pushThroughLink(target.server, location, input);
    const { database } = target;
    const other = await openOtherDatabase(database.url, {
      password: input.text('password') ?? shellEnvironment().SUPABASE_DB_PASSWORD,
      session: 'project',
    });
    try {
      const deps = depsOf(location);
      const plan = await planPush(
        appliedFiles(other.pool, url === undefined ? '--linked' : '--db-url URL'),
        deps,
        optionsOf(input),
      );
      return await carryOut(input, plan, shownTarget(database), () =>
        announcing(other, say, () => push(other.pool, deps, plan)),
      );
    } finally {
      await other.stop();
    }
  },
};

async function pushThroughLink(
  server: ManagementClient,
  location: ProjectLocation,
  input: Input,
): Promise<number> {
  const plan = await planServerPush(server, depsOf(location, server.ref), optionsOf(input));
  return await carryOut(input, plan, `${server.consoleUrl} (${server.ref})`, async () => {
    let count = 0;
    await pushToServer(server, plan, {
      onProgress: say,
      onApplied: (shownPath, isNew) => {
        if (isNew) count++;
        else say(`${shownPath} was already applied by another push.`);
      },
    });
    say(`Applied ${count} ${count === 1 ? 'migration' : 'migrations'}. The API uses the new schema.`);
  });
}

const depsOf = ({ projectDir }: ProjectLocation, remoteRef?: string) => ({
  config: loadConfig({ projectDir, remoteRef }).config,
  projectDir,
  onProgress: say,
});

const optionsOf = (input: Input) => ({
  includeAll: input.flag('include-all'),
  includeRoles: input.flag('include-roles'),
  includeSeed: input.flag('include-seed'),
  skipVault: input.flag('skip-vault'),
});

/** Lists the changes, asks for confirmation and makes the changes. Returns the exit status. */
async function carryOut(
  input: Input,
  plan: PushPlan,
  shown: string,
  work: () => Promise<void>,
): Promise<number> {
  if (isEmpty(plan)) {
    print('Remote database is up to date.');
    return 0;
  }
  say([`To ${shown}:`, ...linesOf(plan)].join('\n'));
  if (!input.flag('dry-run')) {
    if (!(await isAgreed(input))) return 1;
    await work();
  }
  print('Finished db push.');
  return 0;
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
