import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLogger } from '../../kernel/log.ts';
import { type Baseline, type EmptyDatabase, makeBaseline } from '../../project/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { openBackend } from '../operations.ts';
import { columns, print, progressTeller, say } from '../output.ts';
import { placeOf } from '../place.ts';

export const dbBaseline: Command = {
  name: 'db baseline',
  about:
    "Writes a first migration for tables that were created in the hosted project's dashboard: the objects that a file of\n" +
    "generated types declares and no migration creates. Guesses are marked in the file. Doesn't change any database.",
  options: {
    workdir: projectOptions.workdir,
    'from-types': {
      type: 'string',
      value: 'FILE',
      help: 'TypeScript types, as written by "gen types".',
    },
  },
  examples: [
    [
      'plinth db baseline --from-types src/integrations/supabase/types.ts',
      'writes supabase/migrations/00000000000000_baseline.sql; run "plinth start" next',
    ],
  ],
  run: async (input) => {
    const { projectDir } = placeOf(input);
    const typesFile = input.text('from-types');
    if (typesFile === undefined) throw new UsageError('--from-types FILE is required');
    if (!existsSync(typesFile)) throw new UsageError(`--from-types: the file ${typesFile} doesn't exist`);
    const openDatabase = () => openScratch(projectDir);
    const baseline = await makeBaseline({
      projectDir,
      typesFile,
      openDatabase,
      onProgress: progressTeller(say),
    });
    if (baseline.text === undefined)
      say('The migrations already create everything that the types declare, so no file was written.');
    else {
      mkdirSync(dirname(baseline.path), { recursive: true });
      writeFileSync(baseline.path, baseline.text, { flag: 'wx' });
      print(`Created ${baseline.shownPath}`);
    }
    report(baseline);
    return baseline.failures.length === 0 ? 0 : 1;
  },
};

/** Starts a separate server in a temporary folder, so that a running Plinth and its data aren't affected. */
async function openScratch(projectDir: string): Promise<EmptyDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-baseline-'));
  const backend = await openBackend({ projectDir, dataDir }, () => {});
  const { database, config, keys } = backend;
  return {
    deps: {
      database,
      config,
      keys,
      projectDir,
      mode: 'development',
      log: silentLogger,
      onProgress: () => {},
    },
    close: async () => {
      await backend.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function report({ text, tables, withoutPolicy, failures }: Baseline): void {
  if (text !== undefined) {
    say(`It creates ${tables.length} tables. Comments with "guess" mark guesses.`);
    if (withoutPolicy.length > 0)
      say(
        `No migration creates a policy for ${withoutPolicy.join(', ')}, so clients can't read these tables until you add one.`,
      );
  }
  if (failures.length === 0) return;
  say('These statements still fail:');
  say(columns(failures.map(({ file, line, error }) => [`  ${file}:${line}`, error.message])));
}
