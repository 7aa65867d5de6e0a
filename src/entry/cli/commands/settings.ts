/** Commands that apply changed settings: `reload` on this server, and `config push` on a remote server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonText } from '../../../base/shared/printable.ts';
import { type Command, projectOptions } from '../command.ts';
import { confirm } from '../confirm.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { managementOf, serverOptions } from '../management/target.ts';
import { print, say } from '../output.ts';
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

interface Pushed {
  readonly diff: readonly { readonly kind: 'same' | 'added' | 'removed' | 'gap'; readonly text: string }[];
  readonly keys: readonly string[];
  readonly skipped: readonly string[];
  readonly applied: readonly string[];
  readonly needs_restart: readonly string[];
  readonly problems: readonly string[];
}

const signs = { same: ' ', added: '+', removed: '-', gap: '…' } as const;

/** Pushes settings from this project's config.toml to a running Plinth server. */
export const configPush: Command = {
  name: 'config push',
  about:
    "Updates the server's [api], [auth] and [storage] settings to match supabase/config.toml.\n" +
    "The server's other settings stay the same. Ports, addresses, buckets and file paths aren't pushed. Secrets\n" +
    "are stored in the server's supabase/.env. The access token must have the owner role.",
  options: {
    ...projectOptions,
    ...serverOptions,
    yes: { type: 'boolean', help: 'Changes the settings without asking.' },
  },
  examples: [['plinth config push --linked', 'shows the changes and asks before making them']],
  run: async (input) => {
    const file = join(locationOf(input).projectDir, 'supabase', 'config.toml');
    if (!existsSync(file))
      throw new CommandError(`${file} doesn't exist.`, 'Run "plinth init" to create it.');
    const config = readFileSync(file, 'utf8');
    const client = await managementOf(input);
    const { diff, keys, skipped } = await client.call<Pushed>('pushConfig', { config, dry_run: true });
    if (skipped.length > 0) say(`Not pushed: ${skipped.join(', ')}`);
    if (keys.length === 0) {
      say('Remote config is up to date.');
      return 0;
    }
    say(diff.map(({ kind, text }) => `${signs[kind]} ${text}`.trimEnd()).join('\n'));
    if (!(await confirm(input, 'Do you want to push these settings?', false)))
      throw new CommandError('Canceled. Run the command with --yes to push settings without confirmation.');
    const {
      applied,
      needs_restart: needsRestart,
      problems,
    } = await client.call<Pushed>('pushConfig', { config });
    if (applied.length > 0) say(`Applied: ${applied.join(', ')}`);
    if (needsRestart.length > 0) say(`Applied at the next start: ${needsRestart.join(', ')}`);
    for (const problem of problems) say(problem);
    print('Finished config push.');
    return 0;
  },
};
