import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { silentLogger } from '../../../../base/kernel/log.ts';
import { type Baseline, type EmptyDatabase, makeBaseline } from '../../../../project/baseline/index.ts';
import type { Backend } from '../../../main.ts';
import { type Command, projectOptions, UsageError } from '../../command.ts';
import { columns, print, progressPrinter, say } from '../../output.ts';
import { locationOf } from '../../project-location.ts';
import { createScratchDatabases } from '../../shadow.ts';
import { withCleanUp } from '../../signals.ts';

export const dbBaseline: Command = {
  name: 'db baseline',
  about:
    "Writes a first migration for tables that were created in the hosted project's dashboard. It creates the objects\n" +
    'that a file of generated types declares but no migration creates. Guesses are marked in the file. No database is\n' +
    'changed.',
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
    const { projectDir } = locationOf(input);
    const typesFile = input.text('from-types');
    if (typesFile === undefined) throw new UsageError('--from-types FILE is required');
    if (!existsSync(typesFile)) throw new UsageError(`--from-types: the file ${typesFile} doesn't exist`);
    const databases = createScratchDatabases(projectDir);
    const openDatabase = async () => emptyDatabase(await databases.open(), projectDir);
    const onProgress = progressPrinter(say);
    const baseline = await withCleanUp(
      () => makeBaseline({ projectDir, typesFile, openDatabase, onProgress }),
      databases.close,
    );
    if (baseline.text === undefined)
      say('The migrations already create everything that the types declare, so no file was written.');
    else {
      mkdirSync(dirname(baseline.path), { recursive: true });
      writeFileSync(baseline.path, baseline.text, { flag: 'wx' });
      print(`Created ${baseline.shownPath}`);
    }
    report(baseline);
    return baseline.isSettled && baseline.failures.length === 0 ? 0 : 1;
  },
};

function emptyDatabase({ database, config, keys, stop }: Backend, projectDir: string): EmptyDatabase {
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
    close: stop,
  };
}

function report({ text, tables, withoutPolicy, rehearsals, isSettled, failures }: Baseline): void {
  if (text !== undefined) {
    say(`It creates ${tables.length} tables. Guesses are marked with comments that contain "guess".`);
    if (withoutPolicy.length > 0)
      say(
        `No migration creates a policy for ${withoutPolicy.join(', ')}, so clients can't read these tables until you add one.`,
      );
  }
  if (!isSettled)
    say(
      `The baseline still changed in run ${rehearsals} of the migrations, so it may be incomplete. Plinth stops after 60 runs or 4 minutes.`,
    );
  if (failures.length === 0) return;
  say('These statements still fail:');
  say(columns(failures.map(({ file, line, error }) => [`  ${file}:${line}`, error.message])));
}
