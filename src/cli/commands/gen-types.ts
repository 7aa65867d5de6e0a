import { loadConfig } from '../../config/index.ts';
import { generateTypes } from '../../database/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { withBackend } from '../operations.ts';
import { say } from '../output.ts';
import { placeOf } from '../place.ts';

export const genTypes: Command = {
  name: 'gen types',
  takes: '[LANG]',
  about: 'Prints TypeScript types of the database for supabase-js, by the generator that upstream uses.',
  options: {
    ...projectOptions,
    lang: { type: 'string', value: 'LANG', help: 'typescript, the only one.' },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to include; public and those of [api] by default.',
    },
    local: { type: 'boolean', help: 'Of this project; the default.' },
    'db-url': { type: 'string', value: 'URL', help: 'Of another database.' },
  },
  examples: [
    ['plinth gen types > database.types.ts', "createClient<Database>(…) then knows your tables' columns"],
    ['plinth gen types --schema public,private', 'of two schemas'],
  ],
  run: async (input) => {
    const lang = input.text('lang') ?? input.positionals[0] ?? 'typescript';
    if (lang !== 'typescript') throw new UsageError(`There is no generator for ${lang}, only for typescript`);
    const place = placeOf(input);
    const named = input.list('schema');
    const schemas = named.length > 0 ? named : defaultSchemas(place.projectDir);
    const given = input.text('db-url');
    const running = given === undefined ? await findRunning(place.dataDir) : undefined;
    const url = given ?? (await running?.call<string>('databaseUrl'));
    const types =
      url !== undefined
        ? await generateTypes(url, schemas)
        : await withBackend(place, say, (backend) => generateTypes(backend.database.info.url, schemas));
    process.stdout.write(types);
    return 0;
  },
};

function defaultSchemas(projectDir: string): string[] {
  return [...new Set(['public', ...loadConfig({ projectDir }).config.api.schemas])];
}
