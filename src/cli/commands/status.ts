import { nearest } from '../../config/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { type Format, formats, keysOfFields, renderStatus } from '../core/status-formats.ts';
import { notRunning } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const status: Command = {
  name: 'status',
  about: "Prints the URLs and keys of Plinth in this folder. The exit status is 1 if Plinth isn't running.",
  options: {
    ...projectOptions,
    output: { type: 'string', short: 'o', value: 'FORMAT', help: `One of ${formats.join(', ')}.` },
    'override-name': {
      type: 'string',
      multiple: true,
      value: 'KEY=NAME',
      help: 'Renames a field, identified by its key.',
    },
  },
  examples: [
    ['plinth status', 'prints URLs and keys'],
    [
      'plinth status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL > .env.local',
      'writes an .env file for your app',
    ],
  ],
  run: async (input) => {
    const format = (input.text('output') ?? 'pretty') as Format;
    if (!formats.includes(format))
      throw new UsageError(`--output: ${format} must be one of ${formats.join(', ')}`);
    const overrides = overridesOf(input.list('override-name'));
    const running = await findRunning(locationOf(input).dataDir);
    if (running === undefined) throw notRunning();
    print(renderStatus(await running.call('status'), format, overrides));
    if (format === 'pretty') for (const line of settingsLines(await running.call('settings'))) print(line);
    return 0;
  },
};

interface SettingsStatus {
  readonly changedAtMs?: number;
  readonly unapplied: readonly string[];
  readonly needsRestart: readonly string[];
  readonly faults: readonly string[];
}

/** Returns a note if the settings files don't match the running settings. */
function settingsLines(status: SettingsStatus | undefined): string[] {
  if (status?.changedAtMs === undefined) return [];
  const since = `The settings were changed on disk at ${new Date(status.changedAtMs).toISOString()}.`;
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
