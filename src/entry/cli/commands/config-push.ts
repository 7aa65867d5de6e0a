/** Pushes settings from this project's config.toml to a running Plinth server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, projectOptions } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CommandError } from '../errors.ts';
import { managementOf, serverOptions } from '../management/target.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

interface Pushed {
  readonly diff: readonly { readonly kind: 'same' | 'added' | 'removed' | 'gap'; readonly text: string }[];
  readonly keys: readonly string[];
  readonly skipped: readonly string[];
  readonly applied: readonly string[];
  readonly needs_restart: readonly string[];
  readonly problems: readonly string[];
}

const signs = { same: ' ', added: '+', removed: '-', gap: '…' } as const;

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
