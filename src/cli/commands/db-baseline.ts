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
    'Writes a first migration for tables that were made in the dashboard of the hosted project: what a file of generated types\n' +
    'names and no migration creates. What types leave open is guessed, and marked in the file. Changes no database.',
  options: {
    workdir: projectOptions.workdir,
    'from-types': {
      type: 'string',
      value: 'FILE',
      help: 'The types, as "gen types" writes them for TypeScript.',
    },
  },
  examples: [
    [
      'plinth db baseline --from-types src/integrations/supabase/types.ts',
      'supabase/migrations/00000000000000_baseline.sql; then "plinth start"',
    ],
  ],
  run: async (input) => {
    const { projectDir } = placeOf(input);
    const typesFile = input.text('from-types');
    if (typesFile === undefined) throw new UsageError('--from-types FILE is needed');
    if (!existsSync(typesFile)) throw new UsageError(`--from-types: the file ${typesFile} doesn't exist`);
    const openDatabase = () => openScratch(projectDir);
    const baseline = await makeBaseline({
      projectDir,
      typesFile,
      openDatabase,
      onProgress: progressTeller(say),
    });
    if (baseline.text === undefined)
      say('The migrations create everything that the types name; nothing was written.');
    else {
      mkdirSync(dirname(baseline.path), { recursive: true });
      writeFileSync(baseline.path, baseline.text, { flag: 'wx' });
      print(`Created ${baseline.shownPath}`);
    }
    report(baseline);
    return baseline.failures.length === 0 ? 0 : 1;
  },
};

/** A server of its own in a temporary folder: a rehearsal leaves nothing behind, and what runs on the project goes on. */
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
    say(`It has ${tables.length} tables; lines marked "guess" are guesses.`);
    if (withoutPolicy.length > 0)
      say(
        `No migration has a policy for ${withoutPolicy.join(', ')}: clients can't read them until you write one.`,
      );
  }
  if (failures.length === 0) return;
  say('These statements fail all the same:');
  say(columns(failures.map(({ file, line, error }) => [`  ${file}:${line}`, error.message])));
}
