import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../../base/shared/files.ts';
import {
  compareSnapshots,
  diffScript,
  readSnapshot,
  SquashError,
  squashedText,
} from '../../../project/diff/index.ts';
import {
  dataStatements,
  type MigrationFile,
  readMigrationFolder,
  squashFiles,
  squashHistory,
} from '../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { findRunning } from '../control.ts';
import { CommandError, describeError } from '../errors.ts';
import { historyOptions, otherUrl, withOther } from '../history-target.ts';
import { print, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { perform } from '../remote-calls.ts';
import { type Shadows, withShadows } from '../shadow.ts';

export const migrationSquash: Command = {
  name: 'migration squash',
  about:
    'Replaces the migrations with one file that creates the same schema, and updates the history of the database. The\n' +
    'file has the name of the last migration. The result is checked in temporary databases before any file changes.\n' +
    "The file doesn't contain inserted rows, scheduled jobs, buckets or secrets. Their statements are listed, so that\n" +
    'you can add them to a new migration.',
  options: {
    ...projectOptions,
    ...historyOptions,
    version: { type: 'string', value: 'VERSION', help: 'Last migration to squash. Default: the newest.' },
    yes: {
      type: 'boolean',
      help: "Updates another database's history without asking. Without a terminal, it's always updated.",
    },
  },
  examples: [
    ['plinth migration squash', 'leaves one migration'],
    ['plinth migration squash --version 20240131120000', 'keeps the migrations after this one'],
    ['plinth migration squash --linked', "updates the linked database's history instead of the local one's"],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const url = otherUrl(location, input);
    const files = chosenFiles(location, input.text('version'));
    const last = files.at(-1);
    if (last === undefined) throw new CommandError('The folder supabase/migrations contains no migrations.');
    if (files.length === 1) say(`${last.shownPath} is already the earliest migration.`);
    else await squash(location, files, last);
    if (await agrees(input, url)) await updateHistory(location, input, { url, last, files });
    print('Finished plinth migration squash.');
    return 0;
  },
};

/** Returns the migrations to squash. @throws {UsageError} @throws {CommandError} if the version doesn't exist */
function chosenFiles({ projectDir }: ProjectLocation, version: string | undefined): readonly MigrationFile[] {
  if (version !== undefined && !/^\d+$/.test(version))
    throw new UsageError(`--version: ${version} must consist of digits`);
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  if (version === undefined) return files;
  if (!files.some((file) => file.version === version))
    throw new CommandError(`Migration ${version} doesn't exist in supabase/migrations.`);
  return files.filter((file) => file.version <= version);
}

async function squash(
  location: ProjectLocation,
  files: readonly MigrationFile[],
  last: MigrationFile,
): Promise<void> {
  const omitted = dataStatements(
    files.map(({ shownPath, path }) => ({ shownPath, text: readTextFile(path) })),
  );
  const { projectDir } = location;
  const text = await withShadows(location, (shadows) => squashedIn(shadows, last.version));
  const backup = squashFiles(projectDir, files, text);
  say(`Squashed local migrations to ${last.shownPath}`);
  say(`The original files are in ${backup}.`);
  if (omitted.length === 0) return;
  say(
    'WARNING: The squashed migration contains no data and no passwords. These statements are not included:',
  );
  for (const statement of omitted) say(` • ${statement.place}: ${statement.text}`);
  say('Add those that you need to a new migration.');
}

/**
 * Returns the text of one migration with the result of all migrations up to this version.
 * @throws {CommandError} if the text doesn't create the same schema
 */
async function squashedIn(shadows: Shadows, version: string): Promise<string> {
  const original = await shadows.fromMigrations({ upToVersion: version, isStrict: true });
  const copy = await shadows.fromRoles();
  try {
    return await squashedText({
      original,
      copy,
      differences: async () =>
        diffScript(compareSnapshots(await readSnapshot(copy.target), await readSnapshot(original.target))),
      onUnsupported: (object) => say(`WARNING: not included: ${object}`),
    });
  } catch (error) {
    if (!(error instanceof SquashError)) throw error;
    if (error.differences !== undefined)
      throw new CommandError(error.message, 'These differences would remain:', error.differences);
    const { message, advice } = describeError(error.cause);
    throw new CommandError(error.message, message, ...advice);
  }
}

async function agrees(input: Input, url: string | undefined): Promise<boolean> {
  return url === undefined || (await confirm(input, 'Update remote migration history table?', true));
}

interface HistoryChange {
  readonly url: string | undefined;
  readonly last: MigrationFile;
  readonly files: readonly MigrationFile[];
}

/** Updates the migration history. @throws {CommandError} with the commands to run if the update failed */
async function updateHistory(
  location: ProjectLocation,
  input: Input,
  { url, last, files }: HistoryChange,
): Promise<void> {
  const { version } = last;
  const { projectDir, dataDir } = location;
  const isMissing = url === undefined && !existsSync(join(dataDir, 'postgres'));
  if (isMissing && (await findRunning(dataDir)) === undefined) return;
  const older = files.slice(0, -1).map((file) => file.version);
  let isUpdated: boolean;
  try {
    isUpdated =
      url === undefined
        ? await perform<boolean>(
            location,
            'migrationSquash',
            { version },
            { needs: 'database', onProgress: say },
          )
        : await withOther(url, input, (pool) => squashHistory(pool, projectDir, version));
  } catch (error) {
    throw new CommandError(
      `The files are squashed, but the migration history wasn't updated: ${(error as Error).message}`,
      'To update it, run the command again with the same database, or:',
      `  plinth migration repair --status reverted ${older.join(' ')}`,
      `  plinth migration repair --status applied ${version}`,
    );
  }
  if (isUpdated) say(`Baselining migration history to ${version}`);
  else
    say(
      `The migration history wasn't updated, because the database hasn't applied ${version}. ` +
        'To recreate the local database, run "plinth db reset".',
    );
}
