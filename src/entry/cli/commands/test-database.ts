import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../../base/kernel/log.ts';
import {
  createProject,
  type FileOutcome,
  testDatabase,
  testElsewhere,
} from '../../../project/folder/index.ts';
import type { Backend } from '../../main.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError } from '../errors.ts';
import { databaseTarget } from '../history-target.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { withBackend } from '../remote-calls.ts';

export const testDb: Command = {
  name: 'test db',
  takes: 'PATH...',
  about:
    'Runs the pgTAP tests in supabase/tests (*.sql and *.pg), each file in a separate session, and prints pg_prove\'s output.\nIf Plinth isn\'t running, creates the database first, as "plinth start" does.',
  options: {
    ...projectOptions,
    local: { type: 'boolean', help: "Uses this project's database (default)." },
    linked: {
      type: 'boolean',
      help: 'Runs the tests on the linked server. Each file must be a transaction that is rolled back.',
    },
    'allow-production': { type: 'boolean', help: 'With --linked: allows a server that runs in production.' },
    'db-url': { type: 'string', value: 'URL', help: 'Uses another database.' },
    verbose: { type: 'boolean', short: 'v', help: 'Prints the full test output.' },
  },
  examples: [
    ['plinth test db', 'runs all tests; the exit status is 1 if a test fails'],
    ['plinth test db supabase/tests/policies', 'runs the tests in a folder'],
    ['plinth test db --linked', 'runs the tests on the linked server'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const folder = {
      projectDir: location.projectDir,
      paths: input.positionals,
      cwd: process.cwd(),
      verbose: input.flag('verbose'),
      print,
    };
    const target = databaseTarget(location, input);
    if (target !== 'local' && 'server' in target) {
      const { server } = target;
      const isPassed = await testElsewhere(folder, ({ shownPath, texts, includes }) =>
        server.call<FileOutcome>('runTest', {
          shown_path: shownPath,
          texts,
          includes,
          allow_production: input.flag('allow-production'),
        }),
      );
      return isPassed ? 0 : 1;
    }
    if (input.flag('linked'))
      throw new CommandError(
        'A database is linked instead of a Plinth server.',
        'To run the tests in a database, use --db-url URL.',
      );
    const run = (url: string) => testDatabase({ ...folder, url });
    const given = target === 'local' ? undefined : target.url;
    const running = given === undefined ? await findRunning(location.dataDir) : undefined;
    const url = given ?? (await running?.call<string>('databaseUrl'));
    const passed =
      url === undefined
        ? await withBackend(location, say, async (backend) => {
            await prepareFirstStart(backend, location.projectDir);
            return await run(backend.database.info.url);
          })
        : await run(url);
    return passed ? 0 : 1;
  },
};

/**
 * Applies migrations and seed files that haven't been applied to this project's database yet, so that a single command
 * can test a fresh clone.
 */
async function prepareFirstStart({ database, config, keys }: Backend, projectDir: string): Promise<void> {
  const log = silentLogger;
  const project = createProject({
    database,
    config,
    keys,
    projectDir,
    mode: 'development',
    log,
    onProgress: say,
  });
  await project.prepareDatabase();
}

/** The former name of the command in upstream's CLI, which existing scripts still use. */
export const dbTest: Command = {
  ...testDb,
  name: 'db test',
  about: 'Runs the same tests as "test db".',
  examples: [['plinth db test', 'runs all tests; the exit status is 1 if a test fails']],
};

export const testNew: Command = {
  name: 'test new',
  takes: 'NAME',
  about: 'Creates supabase/tests/NAME_test.sql with an example pgTAP test.',
  options: {
    ...projectOptions,
    template: { type: 'string', short: 't', value: 'NAME', help: 'Only pgtap is available.' },
  },
  examples: [['plinth test new todos', 'creates supabase/tests/todos_test.sql']],
  run: async (input) => {
    const [name = ''] = input.positionals;
    if (!/^[\w.-]+$/.test(name)) throw new UsageError('A name of letters, digits, _ . and - is required');
    const template = input.text('template') ?? 'pgtap';
    if (template !== 'pgtap') throw new UsageError(`--template: ${template} must be pgtap`);
    const dir = join(locationOf(input).projectDir, 'supabase', 'tests');
    const path = join(dir, `${name}_test.sql`);
    if (existsSync(path)) throw new CommandError(`${path} already exists.`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(path, example);
    print(`Created new pgtap test at supabase/tests/${name}_test.sql.`);
    return 0;
  },
};

const example = `begin;
select plan(1);

select has_schema('public', 'the schema public is there');

select * from finish();
rollback;
`;
