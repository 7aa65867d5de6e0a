/** Deploys the whole project to the linked server. */
import { loadConfig } from '../../../platform/config/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { planBuckets } from '../deploy/buckets.ts';
import { planFunctions } from '../deploy/functions.ts';
import { planMigrations } from '../deploy/migrations.ts';
import {
  type DeployContext,
  type Part,
  type PartName,
  partNames,
  type StepName,
  stepNames,
} from '../deploy/part.ts';
import { planSecrets } from '../deploy/secrets.ts';
import { planSettings } from '../deploy/settings.ts';
import { CommandError, describeError } from '../errors.ts';
import { ForbiddenCall, remoteClient } from '../management/client.ts';
import { linkedServer } from '../management/target.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const deploy: Command = {
  name: 'deploy',
  about:
    'Deploys this project to the linked server: function secrets, migrations, buckets, functions and settings.\n' +
    'Shows all differences and asks before it changes anything. An interrupted deployment continues when the\n' +
    'command is run again. The access token must have the owner role, or with --only, developer.',
  options: {
    ...projectOptions,
    check: { type: 'boolean', help: 'Only shows the differences. The exit status is 1 if there are any.' },
    yes: { type: 'boolean', help: 'Deploys without asking.' },
    only: {
      type: 'string',
      multiple: true,
      value: 'PART',
      help: `Deploys only these parts, separated by commas: ${partNames.join(', ')}.`,
    },
    'env-file': {
      type: 'string',
      value: 'FILE',
      help: 'Sets the secrets in a .env file in addition to [edge_runtime.secrets].',
    },
    'include-all': {
      type: 'boolean',
      help: 'Also applies migrations that are older than the newest applied migration.',
    },
    'include-seed': { type: 'boolean', help: 'Runs new seeds after the migrations.' },
    prune: { type: 'boolean', help: "Deletes deployed functions that don't exist in this project." },
  },
  examples: [
    ['plinth deploy', 'shows what would change on the linked server, and asks'],
    ['plinth deploy --check', 'for CI: fails if the server differs from this folder'],
    ['plinth deploy --yes --env-file .env.production', 'for CI: deploys without asking'],
    ['plinth deploy --only migrations,functions', 'leaves secrets, buckets and settings as they are'],
  ],
  run: async (input) => {
    if (input.flag('check') && input.flag('yes'))
      throw new UsageError("--check and --yes can't be used together");
    const names = partsOf(input);
    const location = locationOf(input);
    const server = linkedServer(location);
    const { config } = loadConfig({ projectDir: location.projectDir, remoteRef: server.ref });
    const client = remoteClient(server);
    const parts = await plan(input, names, { client, projectDir: location.projectDir, config });
    print(`Differences between this project and ${server.url} (${server.ref}):`);
    for (const line of linesOf(parts)) print(line);
    if ([...parts.values()].every(({ changes }) => changes.length === 0)) {
      print('The server is up to date.');
      return 0;
    }
    if (input.flag('check')) return 1;
    if (!(await confirm(input, 'Do you want to deploy these changes?', false)))
      throw new CommandError('Canceled. Run the command with --yes to deploy without confirmation.');
    await apply([...parts.values()]);
    print('Finished deploy.');
    return 0;
  },
};

/** Returns the parts to deploy. @throws {UsageError} if `--only` contains another name */
function partsOf(input: Input): readonly PartName[] {
  const named = input.list('only');
  const unknown = named.find((name) => !(partNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`--only: ${unknown} isn't one of ${partNames.join(', ')}`);
  return named.length === 0 ? partNames : partNames.filter((name) => named.includes(name));
}

/** Compares the parts with the server. @throws {CommandError} if a part can't be compared */
async function plan(
  input: Input,
  names: readonly PartName[],
  context: DeployContext,
): Promise<ReadonlyMap<PartName, Part>> {
  const planners: Readonly<Record<PartName, () => Promise<Part>>> = {
    secrets: () => planSecrets(context, input.text('env-file')),
    migrations: () =>
      planMigrations(context, {
        includeAll: input.flag('include-all'),
        includeSeed: input.flag('include-seed'),
      }),
    buckets: () => planBuckets(context),
    functions: () => planFunctions(context, input.flag('prune')),
    settings: () => planSettings(context),
  };
  const parts = new Map<PartName, Part>();
  for (const name of names) {
    try {
      parts.set(name, await planners[name]());
    } catch (error) {
      const { message, advice } = describeError(error);
      throw new CommandError(
        `The ${name} can't be compared: ${message}`,
        ...advice,
        ...(error instanceof ForbiddenCall
          ? [`To deploy the other parts, use --only ${partNames.filter((each) => each !== name).join(',')}.`]
          : []),
      );
    }
  }
  return parts;
}

const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function linesOf(parts: ReadonlyMap<PartName, Part>): string[] {
  return [...parts].flatMap(([name, { changes, notes }]) =>
    changes.length + notes.length === 0
      ? []
      : [
          '',
          titleOf(name),
          ...changes.flatMap((change) => change.split('\n')).map((line) => `  ${line}`.trimEnd()),
          ...notes.map((note) => `  (${note})`),
        ],
  );
}

/** Runs the steps of all parts in the order of {@link stepNames}. @throws {CommandError} if a step fails */
async function apply(parts: readonly Part[]): Promise<void> {
  for (const name of Object.keys(stepNames) as StepName[]) {
    const runs = parts.flatMap(({ steps }) => steps[name] ?? []);
    if (runs.length > 0) say(stepNames[name]);
    try {
      for (const run of runs) await run();
    } catch (error) {
      const { message, advice } = describeError(error);
      throw new CommandError(
        message,
        ...advice,
        `The deployment stopped at "${stepNames[name]}". To continue, correct the problem and run "plinth deploy" again.`,
      );
    }
  }
}
