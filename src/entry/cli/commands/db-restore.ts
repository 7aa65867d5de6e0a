import { existsSync } from 'node:fs';
import { readDumpFile, restoreDump } from '../../../operations/dump/index.ts';
import { announceSchema } from '../../../platform/database/index.ts';
import { announcing } from '../../../project/folder/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { withAbort } from '../interruption.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { targetOptions, withTarget } from '../target-database.ts';

export const dbRestore: Command = {
  name: 'db restore',
  takes: 'FILE',
  about:
    'Runs a SQL file from "plinth db dump" or from pg_dump (plain format), as the role in the URL. The\n' +
    'file runs in one transaction, so a failure changes nothing. psql commands such as \\! are rejected, except\n' +
    'those that protect a dump (\\restrict). With "-" as FILE, the SQL is read from stdin.',
  options: {
    ...projectOptions,
    'keep-going': { type: 'boolean', help: 'Runs without a transaction and skips statements that fail.' },
    ...targetOptions,
  },
  examples: [
    ['plinth db restore dump.sql', "restores a dump into this project's database"],
    [
      'plinth db restore dump.sql --db-url postgresql://postgres:secret@db.example/app',
      'restores a dump into another database',
    ],
  ],
  run: async (input) => {
    const [file] = input.positionals;
    if (file === undefined) throw new UsageError('FILE is required');
    if (file !== '-' && !existsSync(file)) throw new CommandError(`The file ${file} doesn't exist.`);
    const report = await withAbort((signal) =>
      withTarget(
        locationOf(input),
        input,
        (target) =>
          announcing({ announceSchema: () => announceSchema(target) }, say, () =>
            restoreDump({
              target,
              chunks: file === '-' ? process.stdin : readDumpFile(file),
              keepGoing: input.flag('keep-going'),
              onSkip: (message) => say(`Skipped: ${message}`),
              onProgress: say,
              signal,
            }),
          ),
        { allowsIncomplete: true },
      ),
    );
    print(
      `Ran ${report.statements} statements.${report.skipped === 0 ? '' : ` Skipped ${report.skipped} that failed.`}`,
    );
    return report.skipped === 0 ? 0 : 1;
  },
};
