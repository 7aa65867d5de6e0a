import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFolder } from '../../project/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { progressTeller, say } from '../output.ts';
import { placeOf } from '../place.ts';

export const dbReset: Command = {
  name: 'db reset',
  about:
    'Drops the database with everything in it, the files of storage too, and makes it anew: roles.sql, migrations,\n' +
    'seeds, buckets. With nothing running, the next start does it.',
  options: {
    ...projectOptions,
    version: { type: 'string', value: 'V', help: 'Applies migrations up to this version only.' },
    last: { type: 'string', value: 'N', help: 'Leaves the newest N migrations out.' },
    'keep-going': {
      type: 'boolean',
      help: 'Leaves out statements that fail and lists them; the exit status is then 3.',
    },
    'no-seed': { type: 'boolean', help: 'Runs no seeds.' },
    'sql-paths': {
      type: 'string',
      multiple: true,
      value: 'GLOB',
      help: 'These seeds instead of those of config.toml.',
    },
  },
  examples: [
    ['plinth db reset', 'a database as after a first start'],
    ['plinth db reset --keep-going', 'as much of the schema as can be applied'],
    ['plinth db reset --last 1 --no-seed', 'without the newest migration and without seeds'],
  ],
  run: async (input) => {
    const { dataDir, projectDir } = placeOf(input);
    const upToVersion = versionOf(input.text('version'), input.text('last'), join(projectDir, 'supabase'));
    const running = await findRunning(dataDir);
    if (running === undefined) {
      if (
        upToVersion !== undefined ||
        input.flag('no-seed') ||
        input.flag('keep-going') ||
        input.list('sql-paths').length > 0
      ) {
        throw new UsageError('These options need a running Plinth: start it with "plinth start"');
      }
      for (const name of ['postgres', 'storage'])
        rmSync(join(dataDir, name), { recursive: true, force: true });
      say('Dropped the database; the next start makes it anew.');
      return 0;
    }
    const parameters = {
      upToVersion,
      seed: !input.flag('no-seed'),
      sqlPaths: input.list('sql-paths'),
      keepGoing: input.flag('keep-going'),
    };
    const { leftOut } = await running.call<{ leftOut: number }>('reset', parameters, progressTeller(say));
    say(leftOut === 0 ? 'Finished db reset.' : 'Finished db reset; the schema is partial.');
    return leftOut === 0 ? 0 : partialStatus;
  },
};

/** Neither success nor the failure of a command: there is a database, but not all of it. */
const partialStatus = 3;

function versionOf(
  version: string | undefined,
  last: string | undefined,
  supabaseDir: string,
): string | undefined {
  const versions = readMigrationFolder(supabaseDir).files.map((file) => file.version);
  if (version !== undefined) {
    if (last !== undefined) throw new UsageError('--version and --last exclude each other');
    if (!versions.includes(version)) throw new UsageError(`--version: there is no migration ${version}`);
    return version;
  }
  if (last === undefined) return undefined;
  const count = Number(last);
  if (!/^\d+$/.test(last) || count < 1) throw new UsageError('--last must be a number from 1');
  // Nothing compares as smaller than the empty string: then no migration is applied.
  return versions.at(-1 - count) ?? '';
}
