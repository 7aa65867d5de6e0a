/** The commands that list PostgreSQL extensions, and that write migrations which create or drop them. */
import { extensionSource, fetchPacks, openTextSession } from '../../../platform/database/index.ts';
import { knownPack } from '../../../platform/packs/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { newMigration, writeMigration } from '../migration-file.ts';
import { columns, print, printData, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { targetOptions, withTarget } from '../target-database.ts';

interface ListedExtension {
  readonly name: string;
  /** Null if the extension isn't installed. */
  readonly installed: string | null;
  /** Null if the server doesn't have the extension anymore. */
  readonly available: string | null;
  readonly schema: string | null;
  readonly source: string;
}

const query = `select coalesce(a.name, e.extname)::text, e.extversion, a.default_version, n.nspname::text
from pg_catalog.pg_available_extensions a
full join pg_catalog.pg_extension e on e.extname = a.name
left join pg_catalog.pg_namespace n on n.oid = e.extnamespace
order by e.extname is null, 1`;

export const extensionList: Command = {
  name: 'extension list',
  about: "Lists the database's extensions: installed and available versions, and where they come from.",
  options: {
    ...projectOptions,
    output: { type: 'string', short: 'o', value: 'FORMAT', help: 'pretty (default) or json.' },
    ...targetOptions,
  },
  examples: [['plinth extension list', 'shows installed extensions first']],
  run: async (input) => {
    const format = input.text('output') ?? 'pretty';
    if (format !== 'pretty' && format !== 'json')
      throw new UsageError(`--output: ${format} must be one of pretty, json`);
    const location = locationOf(input);
    const isOwn = input.text('db-url') === undefined && !input.flag('linked');
    const found = await withTarget(
      location,
      input,
      async (target): Promise<ListedExtension[]> => {
        const session = await openTextSession(target, {
          applicationName: 'plinth extension list',
          onNotice: () => undefined,
        });
        try {
          const [result] = await session.run(query);
          return (result?.rows ?? []).map(([name, installed, available, schema]) => ({
            name: name ?? '',
            installed: installed ?? null,
            available: available ?? null,
            schema: schema ?? null,
            source: isOwn ? extensionSource(location.dataDir, name ?? '') : 'the server',
          }));
        } finally {
          session.end();
        }
      },
      { allowsIncomplete: true },
    );
    if (format === 'json') {
      printData(JSON.stringify(found, undefined, 2));
      return 0;
    }
    const rows = found.map(({ name, installed, available, schema, source }) => [
      name,
      installed ?? '',
      available ?? '',
      schema ?? '',
      source,
    ]);
    print(columns([['Name', 'Installed', 'Available', 'Schema', 'Source'], ...rows]));
    return 0;
  },
};

/** Extensions whose schema is fixed. */
const fixedSchemas: ReadonlySet<string> = new Set([
  'pg_cron',
  'pg_graphql',
  'pg_tle',
  'pgmq',
  'pgsodium',
  'postgis_tiger_geocoder',
  'postgis_topology',
  'supabase_vault',
]);

export const extensionAdd: Command = {
  name: 'extension add',
  takes: 'NAME',
  about:
    'Writes a migration that creates an extension. Downloads the extension first if Plinth has it as a pack.\n' +
    '"plinth migration up" applies the migration.',
  options: {
    ...projectOptions,
    schema: { type: 'string', value: 'NAME', help: 'Schema of the extension. Default: extensions.' },
  },
  examples: [['plinth extension add vector', 'downloads pgvector and writes a migration that creates it']],
  run: async (input) => {
    const name = nameOf(input);
    const pack = knownPack(name);
    if (pack !== undefined) await fetchPacks({ onProgress: say }, [pack]);
    const schema = input.text('schema') ?? (fixedSchemas.has(name) ? undefined : 'extensions');
    const target = schema === undefined ? '' : ` with schema ${quoted(schema)}`;
    write(input, `create_extension_${name}`, `create extension if not exists ${quoted(name)}${target};\n`);
    return 0;
  },
};

export const extensionRemove: Command = {
  name: 'extension remove',
  takes: 'NAME',
  about:
    'Writes a migration that drops an extension. "plinth migration up" applies the migration, which fails if other\n' +
    'objects, such as columns, depend on the extension.',
  options: projectOptions,
  examples: [['plinth extension remove vector', 'writes a migration that drops pgvector']],
  run: async (input) => {
    const name = nameOf(input);
    write(input, `drop_extension_${name}`, `drop extension if exists ${quoted(name)};\n`);
    return 0;
  },
};

function nameOf({ positionals: [name = ''] }: Input): string {
  if (name === '') throw new UsageError('The name of an extension is required');
  if (!/^[a-z][\w-]*$/.test(name)) throw new UsageError(`${name} isn't the name of an extension`);
  if (name === 'pgvector') throw new UsageError('The extension of pgvector is named vector');
  return name;
}

function write(input: Input, title: string, text: string): void {
  const migration = newMigration(locationOf(input).projectDir, title);
  writeMigration(migration, text);
  print(`Created new migration at ${migration.shownPath}`);
  say('Run "plinth migration up" to apply it.');
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
