/** Creates, compares, merges and removes branches of the running or the linked server. */
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import {
  type Format,
  formats,
  listFormatOf,
  listFormats,
  renderList,
  renderStatus,
} from '../core/formats.ts';
import { CommandError } from '../errors.ts';
import type { ManagementClient } from '../management/client.ts';
import { managementOf, readRemote, serverOptions } from '../management/target.ts';
import { print, printData, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { switchedBranch, writeSwitch } from '../switched-branch.ts';

interface BranchFields {
  readonly id: string;
  readonly name: string;
  readonly project_ref: string;
  readonly is_default: boolean;
  readonly git_branch?: string;
  readonly persistent: boolean;
  readonly status: string;
  readonly with_data: boolean;
  readonly masked?: boolean;
  readonly preview_project_status: string;
  readonly deletion_scheduled_at?: string;
  readonly api_url?: string;
  readonly console_url?: string;
  readonly problem?: string;
}

interface MergePlan {
  readonly migrations: readonly {
    readonly version: string;
    readonly name: string;
    readonly statements: readonly string[];
  }[];
  readonly functions: readonly string[];
  readonly unrecorded: string | null;
}

const options = { ...projectOptions, ...serverOptions } as const;

const listOption = {
  output: { type: 'string', short: 'o', value: 'FORMAT', help: `Output format: ${listFormats.join(', ')}.` },
} as const satisfies Command['options'];

const nameOf = ({ positionals: [name] }: Input): string => {
  if (name === undefined) throw new UsageError('The name of a branch is required');
  return name;
};

const find = (client: ManagementClient, name: string): Promise<BranchFields> =>
  client.call<BranchFields>('findBranch', { name });

/** How often a command asks whether a branch is ready. */
const pollMs = 1000;

/** Waits until the branch is ready. @throws {CommandError} if it couldn't be created */
async function whenReady(client: ManagementClient, started: BranchFields): Promise<BranchFields> {
  let branch = started;
  while (branch.status === 'CREATING_PROJECT') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    branch = await find(client, branch.name);
  }
  if (branch.problem !== undefined)
    throw new CommandError(
      `The branch ${branch.name} couldn't be created: ${branch.problem}`,
      `Run "plinth branch delete ${branch.name}", and try again.`,
    );
  return branch;
}

function select(input: Input, { name, project_ref: ref }: BranchFields): void {
  const location = locationOf(input);
  const isLinked = input.flag('linked') || input.text('project-ref') !== undefined;
  writeSwitch(location, { name, ref, server: isLinked ? readRemote(location)?.url : undefined });
  say(`Switched to branch ${name}.`);
}

export const branchCreate: Command = {
  name: 'branch create',
  takes: 'NAME',
  about:
    'Creates a branch: a copy of the database, the objects and the functions, with its own URL and keys. A branch sends no\n' +
    'emails, text messages or webhooks and runs no jobs. It stops when it is idle, and starts with the next request.',
  options: {
    ...options,
    'without-data': { type: 'boolean', help: 'Applies the migrations and seeds to an empty database.' },
    'with-data': { type: 'boolean', help: 'Copies the data (default).' },
    mask: { type: 'boolean', help: 'Replaces emails, names, phone numbers and [branches.mask] columns.' },
    'from-time': {
      type: 'string',
      value: 'TIME',
      help: 'Restores this time from the backups, such as 2026-05-01T12:00:00Z.',
    },
    persistent: { type: 'boolean', help: "Doesn't delete the branch when it is unused." },
    'git-branch': { type: 'string', value: 'NAME', help: 'Git branch that this branch belongs to.' },
    switch: { type: 'boolean', help: 'Also switches to the branch.' },
    ...listOption,
  },
  examples: [
    ['plinth branch create try-index', 'copies the project, and prints the URLs of the copy'],
    [
      'plinth branch create pr-17 --linked --without-data',
      'creates a preview of a pull request on the linked server',
    ],
    [
      'plinth branch create yesterday --from-time 2026-05-01T12:00:00Z --mask',
      'restores a time with masked data',
    ],
  ],
  run: async (input) => {
    if (input.flag('with-data') && input.flag('without-data'))
      throw new UsageError("--with-data and --without-data can't be used together");
    const format = listFormatOf(input.text('output'));
    const client = await managementOf(input);
    const started = await client.call<BranchFields>('createBranch', {
      branch_name: nameOf(input),
      with_data: !input.flag('without-data'),
      persistent: input.flag('persistent'),
      ...(input.flag('mask') ? { mask: true } : {}),
      ...(input.text('from-time') === undefined ? {} : { from_time: input.text('from-time') }),
      ...(input.text('git-branch') === undefined ? {} : { git_branch: input.text('git-branch') }),
    });
    const branch = await whenReady(client, started);
    print(
      renderList([branch], format, 'branches', [
        ['NAME', 'REF', 'API URL', 'CONSOLE URL'],
        [branch.name, branch.project_ref, branch.api_url ?? '', branch.console_url ?? ''],
      ]),
    );
    if (input.flag('switch')) select(input, branch);
    return 0;
  },
};

export const branchList: Command = {
  name: 'branch list',
  about: 'Lists the branches. The branch that commands use is marked with an asterisk.',
  options: { ...options, ...listOption },
  examples: [['plinth branch list', 'shows the branches with their URLs']],
  run: async (input) => {
    const format = listFormatOf(input.text('output'));
    const location = locationOf(input);
    const client = await managementOf(input);
    const branches = await client.call<BranchFields[]>('listBranches');
    const selected = switchedBranch(location, input.flag('linked') ? readRemote(location)?.url : undefined);
    const rows = branches.map((branch) => [
      `${branch.project_ref === selected?.ref || (selected === undefined && branch.is_default) ? '*' : ' '} ${branch.name}`,
      branch.project_ref,
      branch.problem === undefined ? stateOf(branch) : 'failed',
      branch.with_data ? (branch.masked ? 'masked' : 'copied') : 'migrations',
      branch.git_branch ?? '',
      branch.deletion_scheduled_at?.slice(0, 16).replace('T', ' ') ?? 'never',
      branch.api_url ?? '',
    ]);
    print(
      renderList(branches, format, 'branches', [
        ['NAME', 'REF', 'STATE', 'DATA', 'GIT BRANCH', 'DELETED (UTC)', 'API URL'],
        ...rows,
      ]),
    );
    return 0;
  },
};

const stateOf = ({ status, preview_project_status: preview }: BranchFields): string =>
  status === 'CREATING_PROJECT' ? 'creating' : preview === 'ACTIVE_HEALTHY' ? 'running' : 'idle';

export const branchGet: Command = {
  name: 'branch get',
  takes: 'NAME',
  about: 'Prints the URLs and keys of a branch, as "plinth status" does for the project. Starts the branch.',
  options: {
    ...options,
    output: { type: 'string', short: 'o', value: 'FORMAT', help: `One of ${formats.join(', ')}.` },
  },
  examples: [['plinth branch get try-index -o env > .env.branch', 'writes an .env file for your app']],
  run: async (input) => {
    const format = (input.text('output') ?? 'pretty') as Format;
    if (!formats.includes(format))
      throw new UsageError(`--output: ${format} must be one of ${formats.join(', ')}`);
    const client = await managementOf(input);
    const { id } = await find(client, nameOf(input));
    const { environment } = await client.call<{ environment: Record<string, string> }>('getBranch', { id });
    print(renderStatus(environment, format, new Map()));
    return 0;
  },
};

export const branchSwitch: Command = {
  name: 'branch switch',
  takes: 'NAME',
  about:
    'Selects the branch that commands change: "deploy", "db push --linked", "functions", "secrets" and "config". With the name\n' +
    'main, they change the project again.',
  options,
  examples: [
    ['plinth branch switch try-index && plinth functions deploy', 'deploys the functions to the branch'],
    ['plinth branch switch main', 'returns to the project'],
  ],
  run: async (input) => {
    const name = nameOf(input);
    if (name === 'main') {
      writeSwitch(locationOf(input), undefined);
      say('Switched to the project.');
      return 0;
    }
    select(input, await find(await managementOf(input), name));
    return 0;
  },
};

export const branchDiff: Command = {
  name: 'branch diff',
  takes: 'NAME',
  about: "Prints the SQL that turns the project's schema into that of the branch.",
  options: {
    ...options,
    data: { type: 'boolean', help: 'Prints the number of different rows in each table instead.' },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'NAME',
      help: 'Compares only these schemas.',
    },
  },
  examples: [
    ['plinth branch diff try-index', 'prints the schema changes'],
    ['plinth branch diff try-index --data', 'counts added, removed and changed rows'],
  ],
  run: async (input) => {
    const client = await managementOf(input);
    const { id } = await find(client, nameOf(input));
    if (input.flag('data')) {
      printDataDiff(await client.call<{ tables: DataRow[] }>('diffBranchData', { id }));
      return 0;
    }
    const included = input.list('schema').join(',');
    const { sql } = await client.call<{ sql: string }>('diffBranch', { id, included_schemas: included });
    if (sql === '') say('No schema changes found');
    else printData(sql);
    return 0;
  },
};

interface DataRow {
  readonly table: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly skipped: 'too_large' | 'no_primary_key' | 'other_columns' | null;
}

const reasons = {
  too_large: 'not compared: too many rows',
  no_primary_key: 'not compared: no primary key',
  other_columns: 'not compared: different columns',
} as const;

function printDataDiff({ tables }: { readonly tables: readonly DataRow[] }): void {
  if (tables.length === 0) {
    say('No different rows found');
    return;
  }
  const rows = tables.map(({ table, added, removed, changed, skipped }) => [
    table,
    ...(skipped === null ? [added, removed, changed].map(String) : ['', '', reasons[skipped]]),
  ]);
  print(renderList(tables, 'pretty', 'tables', [['TABLE', 'ADDED', 'REMOVED', 'CHANGED'], ...rows]));
}

export const branchMerge: Command = {
  name: 'branch merge',
  takes: 'NAME',
  about:
    'Applies the migrations of the branch that the project lacks, and deploys its changed functions. Shows them first, and\n' +
    'asks. Rows and settings of the branch are never merged.',
  options: {
    ...options,
    yes: { type: 'boolean', help: 'Merges without asking.' },
    'dry-run': { type: 'boolean', help: 'Prints what would be merged.' },
  },
  examples: [
    ['plinth branch merge try-index', 'shows the migrations, asks, and applies them'],
    ['plinth branch merge pr-17 --linked --yes', 'merges in CI'],
  ],
  run: async (input) => {
    const client = await managementOf(input);
    const branch = await find(client, nameOf(input));
    const { migrations, functions, unrecorded } = await client.call<MergePlan>('planMerge', {
      id: branch.id,
    });
    for (const { version, name, statements } of migrations)
      printData(`-- ${version}_${name}.sql\n${statements.join(';\n\n')};\n`);
    if (functions.length > 0) print(`Functions: ${functions.join(', ')}`);
    if (unrecorded !== null && unrecorded !== '')
      say(
        `The schema of the branch has changes that no migration contains, so they aren't merged:\n${unrecorded}\nTo merge them, create a migration from "plinth branch diff ${branch.name}", and apply it to the branch.`,
      );
    if (migrations.length + functions.length === 0) {
      say('Nothing to merge.');
      return 0;
    }
    if (input.flag('dry-run')) return 0;
    const question = `Apply ${count(migrations.length, 'migration')} and deploy ${count(functions.length, 'function')}?`;
    if (!(await confirm(input, question, false))) throw new CommandError('Canceled. Nothing was changed.');
    await client.call('mergeBranch', { id: branch.id });
    print(`Merged branch ${branch.name}.`);
    return 0;
  },
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

export const branchRebase: Command = {
  name: 'branch rebase',
  takes: 'NAME',
  about: 'Applies the migrations of the project that the branch lacks to the branch.',
  options,
  examples: [['plinth branch rebase try-index', 'updates the branch before a merge']],
  run: async (input) => {
    const client = await managementOf(input);
    const { id } = await find(client, nameOf(input));
    const { migrations } = await client.call<{ migrations: { version: string; name: string }[] }>(
      'pushBranch',
      {
        id,
      },
    );
    for (const { version, name } of migrations) print(`Applied ${version}_${name}`);
    if (migrations.length === 0) say('The branch has all migrations of the project.');
    return 0;
  },
};

export const branchReset: Command = {
  name: 'branch reset',
  takes: 'NAME',
  about:
    'Creates the data of the branch again from the current state of the project. Changes in the branch are lost.',
  options: { ...options, yes: { type: 'boolean', help: 'Resets the branch without asking.' } },
  examples: [['plinth branch reset try-index', 'copies the project again']],
  run: async (input) => {
    const client = await managementOf(input);
    const branch = await find(client, nameOf(input));
    if (!(await confirm(input, `Reset the branch ${branch.name}? Its changes will be lost.`, false)))
      throw new CommandError('Canceled. Nothing was changed.');
    await client.call('resetBranch', { id: branch.id });
    await whenReady(client, await find(client, branch.name));
    print(`Reset branch ${branch.name}.`);
    return 0;
  },
};

export const branchDelete: Command = {
  name: 'branch delete',
  takes: 'NAME',
  about: 'Permanently deletes a branch and its data.',
  options: { ...options, yes: { type: 'boolean', help: 'Deletes the branch without asking.' } },
  examples: [['plinth branch delete try-index', 'asks, and deletes the branch']],
  run: async (input) => {
    const client = await managementOf(input);
    const branch = await find(client, nameOf(input));
    if (!(await confirm(input, `Delete the branch ${branch.name} and its data?`, false)))
      throw new CommandError('Canceled. The branch was not deleted.');
    await client.call('deleteBranch', { id: branch.id });
    const location = locationOf(input);
    for (const server of [undefined, readRemote(location)?.url])
      if (switchedBranch(location, server)?.ref === branch.project_ref) writeSwitch(location, undefined);
    print(`Deleted branch ${branch.name}.`);
    return 0;
  },
};
