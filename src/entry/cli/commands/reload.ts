import { jsonText } from '../../../base/shared/printable.ts';
import { type Command, projectOptions } from '../command.ts';
import { findRunning } from '../control.ts';
import { notRunning } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

interface Result {
  readonly applied: readonly string[];
  readonly needsRestart: readonly { readonly key: string; readonly reason: string }[];
  readonly problems: readonly string[];
}

export const reload: Command = {
  name: 'reload',
  about:
    'Reads the settings again and applies the changes that the running server can apply. Lists the changes that need a restart. SIGHUP has the same effect. If a setting is invalid, nothing is changed.',
  options: {
    ...projectOptions,
    restart: {
      type: 'boolean',
      help: 'Restarts the server if a changed setting needs a restart. Requests fail during the restart.',
    },
    workers: {
      type: 'boolean',
      help: 'Afterward, replaces the API workers one at a time, without failing any requests. SIGUSR2 has the same effect.',
    },
    json: { type: 'boolean', help: 'Prints the result as a JSON object.' },
  },
  examples: [
    ['plinth reload', 'applies the changed settings'],
    ['plinth reload --restart', 'also applies the settings that need a restart'],
    ['plinth reload --workers', 'also replaces the processes of "plinth serve --workers N"'],
  ],
  run: async (input) => {
    const running = await findRunning(locationOf(input).dataDir);
    if (running === undefined) throw notRunning();
    const result = await running.call<Result>('reload');
    if (input.flag('json')) print(jsonText(result));
    else for (const line of linesOf(result)) print(line);
    if (input.flag('restart') && result.needsRestart.length > 0) {
      await running.call('restart', {}, (line) => {
        if (!input.flag('json')) print(line);
      });
    }
    if (input.flag('workers')) {
      await running.call('restartWorkers');
      if (!input.flag('json')) print('Replaced the API workers.');
    }
    return result.problems.length === 0 ? 0 : 1;
  },
};

function linesOf({ applied, needsRestart, problems }: Result): readonly string[] {
  if (applied.length + needsRestart.length + problems.length === 0) return ['No setting has changed.'];
  return [
    ...applied.map((key) => `Applied: ${key}`),
    ...needsRestart.map(({ key, reason }) => `Needs a restart: ${key}, because ${reason}`),
    ...problems,
  ];
}
