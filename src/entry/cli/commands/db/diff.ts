import { writeFileSync } from 'node:fs';
import { type Command, type Input, projectOptions, UsageError } from '../../command.ts';
import { databaseTarget, linkedTarget } from '../../history-target.ts';
import { newMigration, writeMigration } from '../../migration-file.ts';
import { printData, say } from '../../output.ts';
import { locationOf, type ProjectLocation } from '../../project-location.ts';
import { hostedVersion, renameOption, schemaDiff } from '../../schema-diff.ts';
import { type SchemaSource, schemaTarget, withSchemaSource } from '../../schema-source.ts';
import { requireApplied, requireStarted, type Shadow, type Shadows, withShadows } from '../../shadow.ts';
import { targetOptions, withTargetNamed } from '../../target-database.ts';

const engine = { type: 'boolean', help: 'Has no effect. Plinth always uses pg-delta.' } as const;

export const dbDiff: Command = {
  name: 'db diff',
  about:
    'Prints the SQL for the schema changes that no migration contains. The database is compared with a temporary\n' +
    'database created from supabase/migrations. If there are declarative schema files ([db.migrations]\n' +
    'schema_paths or supabase/schemas), --local compares these files instead. No database is changed.',
  options: {
    ...projectOptions,
    ...targetOptions,
    linked: { type: 'boolean', help: 'Uses the linked server or database.' },
    file: { type: 'string', short: 'f', value: 'NAME', help: 'Writes a new migration with this name.' },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to compare. Default: all schemas of the project.',
    },
    rename: renameOption,
    from: {
      type: 'string',
      value: 'SOURCE',
      help: 'Schema to start from: local, linked, migrations, or a URL.',
    },
    to: {
      type: 'string',
      value: 'SOURCE',
      help: 'Schema to compare it with: local, linked, migrations, or a URL.',
    },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'With --from and --to: the file to write.' },
    'use-migra': engine,
    'use-pgadmin': engine,
    'use-pg-schema': engine,
    'use-pg-delta': engine,
  },
  examples: [
    ['plinth db diff -f add_notes', "writes the local database's changes to a new migration"],
    [
      'plinth db diff --linked',
      'prints the changes of the linked server or database that no migration contains',
    ],
    ['plinth db diff --from migrations --to linked', 'prints the same changes'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const [from, to, output] = [input.text('from'), input.text('to'), input.text('output')];
    if ((from === undefined) !== (to === undefined))
      throw new UsageError('--from and --to can only be used together');
    const options = optionsOf(input, location);
    if (from !== undefined && to !== undefined) {
      const text = await withShadows(location, (shadows) =>
        withSource(location, shadows, from, (source, rehearse) =>
          withSource(location, shadows, to, (target) =>
            schemaDiff({ ...options, from: source, to: target, rehearse }),
          ),
        ),
      );
      if (output === undefined) printData(text);
      else writeFileSync(output, text);
      return 0;
    }
    if (output !== undefined) throw new UsageError('--output can only be used with --from and --to');
    const file = input.text('file');
    const migration = file === undefined ? undefined : newMigration(location.projectDir, file);
    const { text, isDeclared } = await withShadows(location, (shadows) =>
      diff(location, input, { shadows, isMigration: migration !== undefined }),
    );
    say('Finished db diff.\n');
    if (text === '') say('No schema changes found');
    else if (migration === undefined) printData(text);
    else {
      writeMigration(migration, text);
      say(`Created ${migration.shownPath}. Check its statements before you apply it.`);
      say(
        isDeclared || isRemote(input)
          ? 'To apply it to the local database, run "plinth migration up".'
          : `The local database already has these changes. Run "plinth migration repair --status applied ${migration.version}".`,
      );
    }
    return 0;
  },
};

const optionsOf = (input: Input, { projectDir }: ProjectLocation) => ({
  schemas: input.list('schema'),
  renames: input.list('rename'),
  targetVersion: hostedVersion(projectDir),
});

const isRemote = (input: Input): boolean => input.flag('linked') || input.text('db-url') !== undefined;

async function diff(
  location: ProjectLocation,
  input: Input,
  { shadows, isMigration }: { readonly shadows: Shadows; readonly isMigration: boolean },
): Promise<{ text: string; isDeclared: boolean }> {
  const isLocal = !isRemote(input);
  const target = await schemaTarget(databaseTarget(location, input));
  if (isLocal && !shadows.hasSchemaFiles()) await requireStarted(location);
  const from = await shadows.fromMigrations();
  const applyToCopy = isMigration ? shadows.applyToMigrations : undefined;
  const rehearsed = { ...optionsOf(input, location), from: from.target, rehearse: from.run, applyToCopy };
  const declared = isLocal ? await shadows.fromSchemaFiles() : undefined;
  if (declared !== undefined)
    return { text: await schemaDiff({ ...rehearsed, to: declared.target }), isDeclared: true };
  const text = await withSchemaSource(
    location,
    target,
    async (to) => {
      if (isLocal && !('snapshot' in to)) await requireApplied(location, to);
      return await schemaDiff({ ...rehearsed, to });
    },
    input.text('password'),
  );
  return { text, isDeclared: false };
}

async function withSource<T>(
  location: ProjectLocation,
  shadows: Shadows,
  name: string,
  work: (target: SchemaSource, rehearse?: Shadow['run']) => Promise<T>,
): Promise<T> {
  if (name === 'migrations') {
    const { target, run } = await shadows.fromMigrations();
    return await work(target, run);
  }
  if (name === 'local') {
    await requireStarted(location);
    return await withTargetNamed(location, name, async (target) => {
      await requireApplied(location, target);
      return await work(target);
    });
  }
  if (name === 'linked')
    return await withSchemaSource(location, await schemaTarget(linkedTarget(location)), (source) =>
      work(source),
    );
  if (/^postgres(ql)?:\/\//.test(name))
    return await withTargetNamed(location, { url: name }, (target) => work(target));
  throw new UsageError(`${name} must be local, linked, migrations, or a URL that begins with postgresql://`);
}
