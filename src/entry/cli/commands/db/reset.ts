import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFolder } from '../../../../project/folder/index.ts';
import { type Command, projectOptions, UsageError } from '../../command.ts';
import { findRunning } from '../../control.ts';
import { progressPrinter, say } from '../../output.ts';
import { locationOf } from '../../project-location.ts';

export const dbReset: Command = {
  name: 'db reset',
  about:
    'Drops the database and the storage files, then recreates them from roles.sql, migrations,\n' +
    "seeds and buckets. If Plinth isn't running, the next start recreates them.",
  options: {
    ...projectOptions,
    version: { type: 'string', value: 'V', help: 'Applies migrations only up to this version.' },
    last: { type: 'string', value: 'N', help: 'Skips the newest N migrations.' },
    'keep-going': {
      type: 'boolean',
      help: 'Skips statements that fail, lists them, and exits with status 3.',
    },
    'no-seed': { type: 'boolean', help: 'Skips seeds.' },
    'sql-paths': {
      type: 'string',
      multiple: true,
      value: 'GLOB',
      help: 'Seeds to run instead of those in config.toml.',
    },
  },
  examples: [
    ['plinth db reset', 'recreates the database from the project files'],
    ['plinth db reset --keep-going', 'applies as much of the schema as possible'],
    ['plinth db reset --last 1 --no-seed', 'skips the newest migration and the seeds'],
  ],
  run: async (input) => {
    const { dataDir, projectDir } = locationOf(input);
    const upToVersion = versionOf(input.text('version'), input.text('last'), join(projectDir, 'supabase'));
    const running = await findRunning(dataDir);
    if (running === undefined) {
      if (
        upToVersion !== undefined ||
        input.flag('no-seed') ||
        input.flag('keep-going') ||
        input.list('sql-paths').length > 0
      ) {
        throw new UsageError('These options require a running Plinth. Start it with "plinth start"');
      }
      for (const name of ['postgres', 'storage'])
        rmSync(join(dataDir, name), { recursive: true, force: true });
      say('Dropped the database. The next start recreates it.');
      return 0;
    }
    const parameters = {
      upToVersion,
      seed: !input.flag('no-seed'),
      sqlPaths: input.list('sql-paths'),
      keepGoing: input.flag('keep-going'),
    };
    const { skipped } = await running.call<{ skipped: number }>('reset', parameters, progressPrinter(say));
    say(skipped === 0 ? 'Finished db reset.' : 'Finished db reset, but the schema is incomplete.');
    return skipped === 0 ? 0 : partialStatus;
  },
};

/** The exit status if the database was created but some statements failed. */
const partialStatus = 3;

function versionOf(
  version: string | undefined,
  last: string | undefined,
  supabaseDir: string,
): string | undefined {
  const versions = readMigrationFolder(supabaseDir).files.map((file) => file.version);
  if (version !== undefined) {
    if (last !== undefined) throw new UsageError("--version and --last can't be used together");
    if (!versions.includes(version)) throw new UsageError(`--version: migration ${version} doesn't exist`);
    return version;
  }
  if (last === undefined) return undefined;
  const count = Number(last);
  if (!/^\d+$/.test(last) || count < 1) throw new UsageError('--last must be 1 or greater');
  // With an empty version, no migration is applied, because every version sorts after the empty string.
  return versions.at(-1 - count) ?? '';
}
