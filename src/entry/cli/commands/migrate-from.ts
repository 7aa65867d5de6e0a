import { jsonText } from '../../../base/shared/printable.ts';
import { checkTransfer, transfer } from '../../../project/migrate/index.ts';
import type { Command } from '../command.ts';
import { withAbort } from '../interruption.ts';
import {
  checkText,
  functionsOptions,
  managementOf,
  migrateFunctions,
  otherEnd,
  otherEndOptions,
  parallelOf,
  reportText,
  tokenNotes,
  transferOptions,
  withLocalEnd,
} from '../migrate.ts';
import { print, progressPrinter, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const migrateFrom: Command = {
  name: 'migrate from',
  about:
    'Migrates another project into this one: roles, schemas, rows, users with passwords, factors and sessions, vault\n' +
    'secrets, cron jobs, webhooks, the migration history, and objects. Run it again to continue after an interruption, or\n' +
    'to migrate only the changes since the last run. docs/migrate.md describes the whole procedure.',
  options: { ...transferOptions, ...otherEndOptions('', 'the source'), ...functionsOptions },
  examples: [
    [
      'plinth migrate from --db-url postgresql://postgres@db.abc.supabase.co/postgres --check',
      "lists the differences and everything that can't be migrated",
    ],
    [
      'plinth migrate from --db-url postgresql://postgres@db.abc.supabase.co/postgres --project-url https://abc.supabase.co',
      'migrates everything, with the password and the service key from the environment',
    ],
    ['plinth migrate from --start-jobs', 'runs the last migration, with all addresses from the environment'],
  ],
  run: async (input) => {
    const source = otherEnd(input, '', 'the source');
    const location = locationOf(input);
    const access = managementOf(input, source.storage?.projectUrl);
    const check = input.flag('check');
    const isJson = input.flag('json');
    const needsObjects = source.storage !== undefined && !check;
    return await withAbort((signal) =>
      withLocalEnd(location, { needsObjects, isRead: false }, async (target, { jwtSecret }) => {
        const options = {
          source,
          target,
          startJobs: input.flag('start-jobs'),
          keepGoing: input.flag('keep-going'),
          overwrite: input.flag('overwrite'),
          parallel: parallelOf(input),
          onProgress: progressPrinter(say),
          signal,
        };
        const tokens = tokenNotes(source.storage?.serviceKey, jwtSecret);
        const overwrite = options.overwrite;
        if (check) {
          const found = await checkTransfer(options);
          const functions = await migrateFunctions(location, access, { overwrite, check });
          const report = { ...found, notes: [...found.notes, ...tokens, ...functions.notes] };
          print(isJson ? jsonText(report, 2) : checkText(report));
          return report.failing.length + report.different.length === 0 ? 0 : 1;
        }
        const done = await transfer(options);
        const { functions, notes } = await migrateFunctions(location, access, { overwrite, check });
        const report = { ...done, functions, notes: [...done.notes, ...tokens, ...notes] };
        print(isJson ? jsonText(report, 2) : reportText(report));
        return report.complete ? 0 : 1;
      }),
    );
  },
};
