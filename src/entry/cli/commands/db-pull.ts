import { shellQuoted } from '../../../base/shared/printable.ts';
import { readHistory, repairHistory } from '../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CommandError } from '../errors.ts';
import { withOther } from '../history-target.ts';
import { linkedUrl } from '../linked.ts';
import { newMigration, writeMigration } from '../migration-file.ts';
import { print, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { perform } from '../remote-calls.ts';
import { hostedVersion, renameOption, schemaDiff } from '../schema-diff.ts';
import { notMigrated, requireStarted, withShadows } from '../shadow.ts';
import { targetOptions, withTargetNamed } from '../target-database.ts';

export const dbPull: Command = {
  name: 'db pull',
  takes: '[NAME]',
  about:
    "Writes a database's schema changes to a new migration and marks it as applied there. Without local migrations, the\n" +
    'file contains the whole schema. The history of the database must match supabase/migrations.',
  options: {
    ...projectOptions,
    ...targetOptions,
    linked: { type: 'boolean', help: 'Pulls from the linked database (default).' },
    local: { type: 'boolean', help: "Pulls from this project's database." },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to compare. Has no effect on the first migration.',
    },
    rename: renameOption,
    'diff-engine': { type: 'string', value: 'ENGINE', help: 'Has no effect. Plinth always uses pg-delta.' },
    yes: {
      type: 'boolean',
      help: "Updates the history without asking. Without a terminal, it's always updated.",
    },
  },
  examples: [
    ['plinth db pull', 'writes supabase/migrations/<time>_remote_schema.sql from the linked database'],
    ['plinth db pull add_notes --db-url postgresql://…', 'pulls from another database'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const migration = newMigration(location.projectDir, input.positionals[0] ?? 'remote_schema');
    const target = targetOf(location, input);
    if (target === 'local') await requireStarted(location);
    const states = await historyOf(location, input, target);
    const extraRemote = states.filter(({ file }) => file === undefined).map(({ version }) => version);
    const extraLocal = states.filter(({ applied }) => !applied).map(({ version }) => version);
    if (target === 'local' && states.length > 0 && !states.some(({ applied }) => applied))
      throw notMigrated();
    if (extraRemote.length + extraLocal.length > 0) throw conflict(extraRemote, extraLocal);
    const schemas = states.length === 0 ? [] : input.list('schema');
    const text = await withShadows(location, async (shadows) => {
      const from = await shadows.fromMigrations();
      return await withTargetNamed(
        location,
        target,
        (to) =>
          schemaDiff({
            from: from.target,
            rehearse: from.run,
            to,
            schemas,
            renames: input.list('rename'),
            targetVersion: hostedVersion(location.projectDir),
          }),
        { password: input.text('password') },
      );
    });
    if (text === '') throw new CommandError('No schema changes found');
    writeMigration(migration, text);
    say(`Schema written to ${migration.shownPath}`);
    if (await confirm(input, 'Update remote migration history table?', true)) {
      await recordIn(location, input, target, migration.version);
      say(`Repaired migration history: [${migration.version}] => applied`);
    }
    print('Finished db pull.');
    return 0;
  },
};

type Target = 'local' | 'linked' | { readonly url: string };

function targetOf(location: ProjectLocation, input: Input): Target {
  const named = ['db-url', 'linked', 'local'].filter((name) => input.text(name) !== undefined);
  if (named.length > 1)
    throw new UsageError(`${named.map((name) => `--${name}`).join(' and ')} can't be used together`);
  const url = input.text('db-url');
  if (url !== undefined) return { url };
  return input.flag('local') ? 'local' : { url: linkedUrl(location) };
}

interface HistoryState {
  readonly version: string;
  readonly file?: unknown;
  readonly applied: boolean;
}

async function historyOf(location: ProjectLocation, input: Input, target: Target): Promise<HistoryState[]> {
  if (typeof target !== 'string')
    return await withOther(target.url, input, (pool) => readHistory(pool, location.projectDir));
  const rows = await perform<{ version: string; local: boolean; applied: boolean }[]>(
    location,
    'migrationList',
    {},
    { needs: 'database', onProgress: say },
  );
  return rows.map(({ version, local, applied }) => ({ version, applied, file: local ? version : undefined }));
}

async function recordIn(
  location: ProjectLocation,
  input: Input,
  target: Target,
  version: string,
): Promise<void> {
  const repair = { versions: [version], status: 'applied' } as const;
  if (typeof target !== 'string')
    return await withOther(target.url, input, (pool) => repairHistory(pool, location.projectDir, repair));
  await perform(location, 'migrationRepair', repair, { needs: 'database', onProgress: say });
}

function conflict(extraRemote: readonly string[], extraLocal: readonly string[]): CommandError {
  return new CommandError(
    "The remote database's migration history does not match local files in supabase/migrations directory.",
    'Make sure your local git repo is up-to-date. If the error persists, try repairing the migration history table:',
    ...extraRemote.map((version) => `  plinth migration repair --status reverted ${shellQuoted(version)}`),
    ...extraLocal.map((version) => `  plinth migration repair --status applied ${version}`),
  );
}
