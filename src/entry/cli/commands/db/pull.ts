import { shellQuoted } from '../../../../base/shared/printable.ts';
import { type Command, type Input, projectOptions } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { CommandError } from '../../errors.ts';
import { databaseTarget, historyOf, repair } from '../../history-target.ts';
import { newMigration, writeMigration } from '../../migration-file.ts';
import { print, say } from '../../output.ts';
import { locationOf } from '../../project-location.ts';
import { hostedVersion, renameOption, schemaDiff } from '../../schema-diff.ts';
import { schemaTarget, withSchemaSource } from '../../schema-source.ts';
import { notMigrated, requireStarted, withShadows } from '../../shadow.ts';
import { targetOptions } from '../../target-database.ts';

export const dbPull: Command = {
  name: 'db pull',
  takes: '[NAME]',
  about:
    "Writes a database's schema changes to a new migration and marks it as applied there. Without local migrations, the\n" +
    'file contains the whole schema. The history of the database must match supabase/migrations.',
  options: {
    ...projectOptions,
    ...targetOptions,
    linked: { type: 'boolean', help: 'Pulls from the linked server or database (default).' },
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
    [
      'plinth db pull',
      'writes supabase/migrations/<time>_remote_schema.sql from the linked server or database',
    ],
    ['plinth db pull add_notes --db-url postgresql://…', 'pulls from another database'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const migration = newMigration(location.projectDir, input.positionals[0] ?? 'remote_schema');
    const target = databaseTarget(location, input, 'linked');
    if (target === 'local') await requireStarted(location);
    const states = await historyOf(location, input, target);
    const extraRemote = states.filter(({ local }) => !local).map(({ version }) => version);
    const extraLocal = states.filter(({ applied }) => !applied).map(({ version }) => version);
    if (target === 'local' && states.length > 0 && !states.some(({ applied }) => applied))
      throw notMigrated();
    if (extraRemote.length + extraLocal.length > 0) throw conflict(extraRemote, extraLocal, optionOf(input));
    const source = await schemaTarget(target);
    const schemas = states.length === 0 ? [] : input.list('schema');
    const text = await withShadows(location, async (shadows) => {
      const from = await shadows.fromMigrations();
      return await withSchemaSource(
        location,
        source,
        (to) =>
          schemaDiff({
            from: from.target,
            rehearse: from.run,
            to,
            schemas,
            renames: input.list('rename'),
            targetVersion: hostedVersion(location.projectDir),
          }),
        input.text('password'),
      );
    });
    if (text === '') throw new CommandError('No schema changes found');
    writeMigration(migration, text);
    say(`Schema written to ${migration.shownPath}`);
    if (await confirm(input, 'Update remote migration history table?', true)) {
      await repair(location, input, target, { versions: [migration.version], status: 'applied' });
      say(`Repaired migration history: [${migration.version}] => applied`);
    }
    print('Finished db pull.');
    return 0;
  },
};

/** Returns the option with which another command selects the same database. */
function optionOf(input: Input): string {
  if (input.flag('local')) return '';
  return input.text('db-url') === undefined ? ' --linked' : ' --db-url URL';
}

function conflict(
  extraRemote: readonly string[],
  extraLocal: readonly string[],
  option: string,
): CommandError {
  return new CommandError(
    "The remote database's migration history does not match local files in supabase/migrations directory.",
    'Make sure your local git repo is up-to-date. If the error persists, try repairing the migration history table:',
    ...extraRemote.map(
      (version) => `  plinth migration repair --status reverted ${shellQuoted(version)}${option}`,
    ),
    ...extraLocal.map((version) => `  plinth migration repair --status applied ${version}${option}`),
  );
}
