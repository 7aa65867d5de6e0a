import { jsonText } from '../../../base/shared/printable.ts';
import { nearest } from '../../../platform/config/index.ts';
import type { NodeStatus } from '../../../platform/group/types.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { type Format, formats, keysOfFields, renderStatus } from '../core/formats.ts';
import { nodeNotes, nodeRows } from '../core/node-table.ts';
import { notRunning } from '../errors.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { type RunningProject, runningProjects } from '../running-projects.ts';

export const status: Command = {
  name: 'status',
  about: "Prints the URLs and keys of Plinth in this folder. The exit status is 1 if Plinth isn't running.",
  options: {
    ...projectOptions,
    output: { type: 'string', short: 'o', value: 'FORMAT', help: `One of ${formats.join(', ')}.` },
    all: {
      type: 'boolean',
      help: 'Lists all running projects of this user. With -o json, prints them as JSON.',
    },
    group: {
      type: 'boolean',
      help: 'Lists all nodes of the project with their state and load. With -o json, prints them as JSON.',
    },
    json: { type: 'boolean', help: 'Same as -o json.' },
    'override-name': {
      type: 'string',
      multiple: true,
      value: 'KEY=NAME',
      help: 'Renames a field, identified by its key.',
    },
  },
  examples: [
    ['plinth status', 'prints URLs and keys'],
    ['plinth status --all', 'lists the running projects with their folders'],
    ['plinth status --group', 'lists the servers that share an external database'],
    [
      'plinth status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL > .env.local',
      'writes an .env file for your app',
    ],
  ],
  run: async (input) => {
    const format = (input.flag('json') ? 'json' : (input.text('output') ?? 'pretty')) as Format;
    if (!formats.includes(format))
      throw new UsageError(`--output: ${format} must be one of ${formats.join(', ')}`);
    if (input.flag('all')) return await listAll(input, format);
    if (input.flag('group')) return await listNodes(input, format);
    const overrides = overridesOf(input.list('override-name'));
    const running = await findRunning(locationOf(input).dataDir);
    if (running === undefined) throw notRunning();
    print(renderStatus(await running.call('status'), format, overrides));
    if (format === 'pretty') for (const line of settingsLines(await running.call('settings'))) print(line);
    return 0;
  },
};

async function listNodes(input: Input, format: Format): Promise<number> {
  if (format !== 'pretty' && format !== 'json')
    throw new UsageError(`--group can be printed only as pretty or json, not as ${format}`);
  const running = await findRunning(locationOf(input).dataDir);
  if (running === undefined) throw notRunning();
  const nodes = await running.call<readonly NodeStatus[]>('nodes');
  if (format === 'json') print(jsonText(nodes, 2));
  else for (const line of [columns(nodeRows(nodes, Date.now())), ...nodeNotes(nodes)]) print(line);
  return 0;
}

/** The fields of a running project, without secrets. */
interface ListedProject {
  readonly project_id: string;
  readonly folder: string;
  readonly mode: string;
  readonly pid: number;
  readonly api_url: string | null;
  readonly started_at: string;
}

async function listAll(input: Input, format: Format): Promise<number> {
  if (format !== 'pretty' && format !== 'json')
    throw new UsageError(`--all can be printed only as pretty or json, not as ${format}`);
  if (input.list('override-name').length > 0)
    throw new UsageError("--all and --override-name can't be used together");
  const projects = await Promise.all((await runningProjects()).map(listedProject));
  if (format === 'json') print(jsonText(projects, 2));
  else if (projects.length === 0) say('No project is running.');
  else {
    const rows = projects.map(({ project_id, folder, api_url, pid, started_at }) => [
      project_id,
      folder,
      api_url ?? '(resetting)',
      String(pid),
      started_at.slice(0, 19).replace('T', ' '),
    ]);
    print(columns([['Project ID', 'Folder', 'API URL', 'PID', 'Started (UTC)'], ...rows]));
  }
  return 0;
}

/** Returns a project's fields. The project's URL is null while the database is being reset. */
async function listedProject({
  projectId,
  projectDir,
  pid,
  running,
}: RunningProject): Promise<ListedProject> {
  const status = await running.call<Record<string, string>>('status').catch(() => undefined);
  const { mode, startedAt } = running.state;
  return {
    project_id: projectId,
    folder: projectDir,
    mode,
    pid,
    api_url: status?.API_URL ?? null,
    started_at: startedAt,
  };
}

interface SettingsStatus {
  readonly changedAtMs?: number;
  readonly unapplied: readonly string[];
  readonly needsRestart: readonly string[];
  readonly faults: readonly string[];
  readonly areSaved: boolean;
}

/** Returns a note if the settings files differ from the settings in effect. */
function settingsLines(status: SettingsStatus | undefined): string[] {
  if (status?.changedAtMs === undefined) return [];
  const where = status.areSaved ? 'in the Console or by the management API' : 'on disk';
  const since = `The settings were changed ${where} at ${new Date(status.changedAtMs).toISOString()}.`;
  if (status.faults.length > 0) return [`${since} They are invalid:`, ...status.faults];
  return [
    since,
    ...(status.unapplied.length > 0 ? ['Run "plinth reload" to apply them.'] : []),
    ...(status.needsRestart.length > 0
      ? [`Run "plinth reload --restart" to apply ${status.needsRestart.join(', ')}.`]
      : []),
  ];
}

function overridesOf(pairs: readonly string[]): Map<string, string> {
  const known = Object.values(keysOfFields);
  const overrides = new Map<string, string>();
  for (const pair of pairs) {
    const [key = '', name = ''] = pair.split(/=(.*)/s);
    if (!known.includes(key) || name === '') {
      const near = nearest(key, known);
      throw new UsageError(
        `--override-name: ${pair} isn't KEY=NAME with a known key${near === undefined ? '' : ` (${near}?)`}`,
      );
    }
    overrides.set(key, name);
  }
  return overrides;
}
