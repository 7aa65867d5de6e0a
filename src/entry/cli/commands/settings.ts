/** Commands that apply changed settings: `reload` on this server, and `config push` on a remote server. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jsonText } from '../../../base/shared/printable.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { type Command, projectOptions } from '../command.ts';
import { confirm } from '../confirm.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { type PushedSettings, readSettings, resultLines, settingsLines } from '../management/settings.ts';
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

/** Pushes settings from this project's config.toml and plinth.toml to a running Plinth server. */
export const configPush: Command = {
  name: 'config push',
  about:
    "Updates the server's settings to match [api], [auth] and [storage] in supabase/config.toml, and [branding],\n" +
    '[account], [auth], [graphql] and [safe_update] in supabase/plinth.toml. The values in [remotes.NAME] with the\n' +
    "server's project ref as the project_id take precedence. The server's other settings stay the same. Email\n" +
    'templates are pushed with the settings. Ports, buckets, paths of other files and addresses such as localhost\n' +
    "aren't pushed. Secrets are stored in the server's supabase/.env. The access token must have the owner role.",
  options: {
    ...projectOptions,
    ...serverOptions,
    yes: { type: 'boolean', help: 'Changes the settings without asking.' },
  },
  examples: [['plinth config push --linked', 'shows the changes and asks before making them']],
  run: async (input) => {
    const { projectDir } = locationOf(input);
    const file = join(projectDir, 'supabase', 'config.toml');
    if (!existsSync(file))
      throw new CommandError(`${file} doesn't exist.`, 'Run "plinth init" to create it.');
    const client = await managementOf(input);
    const { config } = loadConfig({ projectDir, remoteRef: client.ref });
    const texts = readSettings(projectDir, config);
    const { diff, keys, skipped } = await client.call<PushedSettings>('pushConfig', {
      ...texts,
      dry_run: true,
    });
    if (skipped.length > 0) say(`Not pushed: ${skipped.join(', ')}`);
    if (keys.length === 0) {
      say('Remote config is up to date.');
      return 0;
    }
    say(settingsLines(diff).join('\n'));
    if (!(await confirm(input, 'Do you want to push these settings?', false)))
      throw new CommandError('Canceled. Run the command with --yes to push settings without confirmation.');
    for (const line of resultLines(await client.call<PushedSettings>('pushConfig', { ...texts }))) say(line);
    print('Finished config push.');
    return 0;
  },
};
