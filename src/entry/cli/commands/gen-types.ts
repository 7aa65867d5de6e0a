import { parseGoDuration } from '../../../base/shared/go-duration.ts';
import { loadConfig, shellEnvironment } from '../../../platform/config/index.ts';
import { generateTypes, type TypeLanguage, typeLanguages } from '../../../platform/database/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { type DatabaseTarget, databaseTarget } from '../history-target.ts';
import { hostedTargetOf, isProjectRef } from '../linked.ts';
import { linkedClient, readRemote } from '../management/target.ts';
import { printData, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { withCompleteDatabase } from '../remote-calls.ts';

export const genTypes: Command = {
  name: 'gen types',
  takes: '[LANG]',
  about: 'Prints database types for supabase-js and other clients, with the same generator as upstream.',
  options: {
    ...projectOptions,
    lang: {
      type: 'string',
      value: 'LANG',
      help: `${typeLanguages.slice(0, -1).join(', ')} or ${typeLanguages.at(-1)}; default: typescript.`,
    },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to include. Default: public and the schemas in [api].',
    },
    local: { type: 'boolean', help: "Uses this project's database (default)." },
    linked: {
      type: 'boolean',
      help: 'Uses the linked server, or the linked database with the password in SUPABASE_DB_PASSWORD.',
    },
    'db-url': { type: 'string', value: 'URL', help: 'Uses another database.' },
    'project-id': {
      type: 'string',
      value: 'REF',
      help: 'Uses the linked Plinth server with this project ref, or the database of a hosted project.',
    },
    'swift-access-control': { type: 'string', value: 'LEVEL', help: 'internal (default) or public.' },
    'postgrest-v9-compat': {
      type: 'boolean',
      help: 'Generates types for PostgREST 9 and older, without one-to-one relationships. Requires --db-url.',
    },
    'query-timeout': {
      type: 'string',
      value: 'DURATION',
      help: 'Time limit for each query, such as 30s. Default: 15s.',
    },
  },
  examples: [
    ['plinth gen types > database.types.ts', 'writes the types for createClient<Database>(…)'],
    ['plinth gen types --schema public,private', 'prints the types of two schemas'],
    [
      'plinth gen types --lang go --linked > database.go',
      'prints the types of the linked server or database for Go',
    ],
  ],
  run: async (input) => {
    const lang = input.text('lang') ?? input.positionals[0] ?? 'typescript';
    if (!isLanguage(lang)) throw new UsageError(`${lang} isn't supported. Use ${typeLanguages.join(', ')}`);
    const swiftAccess = input.text('swift-access-control') ?? 'internal';
    if (swiftAccess !== 'internal' && swiftAccess !== 'public')
      throw new UsageError(`--swift-access-control: ${swiftAccess} must be internal or public`);
    if (input.flag('postgrest-v9-compat') && input.text('db-url') === undefined)
      throw new UsageError('--postgrest-v9-compat requires --db-url');
    const options = {
      language: lang,
      swiftAccess,
      detectsOneToOne: !input.flag('postgrest-v9-compat'),
      timeoutMs: timeoutOf(input),
      password: shellEnvironment().SUPABASE_DB_PASSWORD,
    } as const;
    const location = locationOf(input);
    const named = input.list('schema');
    const schemas = named.length > 0 ? named : defaultSchemas(location.projectDir);
    const ref = input.text('project-id');
    const target = ref === undefined ? databaseTarget(location, input) : refTarget(location, ref, input);
    if (target !== 'local' && 'server' in target) {
      const { types } = await target.server.call<{ types: string }>('generateTypes', {
        included_schemas: schemas.join(','),
        ...(lang === 'typescript' ? {} : { language: lang }),
        ...(swiftAccess === 'internal' ? {} : { swift_access_control: swiftAccess }),
      });
      return write(types);
    }
    const given = target === 'local' ? undefined : target.url;
    const running = given === undefined ? await findRunning(location.dataDir) : undefined;
    const url = given ?? (await running?.call<string>('databaseUrl'));
    const types =
      url !== undefined
        ? await generateTypes(url, schemas, options)
        : await withCompleteDatabase(location, say, (backend) =>
            generateTypes(backend.database.info.url, schemas, options),
          );
    return write(types);
  },
};

function write(types: string): number {
  printData(types.endsWith('\n') ? types : `${types}\n`);
  return 0;
}

/** Returns the linked server if it has this project ref, or the hosted project's database. @throws {UsageError} */
function refTarget(location: ProjectLocation, ref: string, input: Input): Exclude<DatabaseTarget, 'local'> {
  const other = ['db-url', 'linked', 'local'].find((name) => input.text(name) !== undefined);
  if (other !== undefined) throw new UsageError(`--project-id and --${other} can't be used together`);
  if (readRemote(location)?.ref === ref) return { server: linkedClient(location, ref) };
  if (!isProjectRef(ref))
    throw new UsageError(`--project-id: ${ref} isn't a project ref, which consists of 20 lowercase letters`);
  return { url: hostedTargetOf(location, ref).url };
}

function timeoutOf(input: Input): number {
  const text = input.text('query-timeout') ?? '15s';
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 1)
    throw new UsageError(`--query-timeout: ${text} isn't a duration such as 30s`);
  return Math.ceil(ms);
}

const isLanguage = (text: string): text is TypeLanguage => typeLanguages.some((known) => known === text);

function defaultSchemas(projectDir: string): string[] {
  return [...new Set(['public', ...loadConfig({ projectDir }).config.api.schemas])];
}
