import { jsonText, sizeText } from '../../../base/shared/printable.ts';
import { verify } from '../../../project/migrate/index.ts';
import { type Command, projectOptions } from '../command.ts';
import { withAbort } from '../interruption.ts';
import { otherEnd, otherEndOptions, parallelOf, transferOptions, withLocalEnd } from '../migrate.ts';
import { print, progressPrinter, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const migrateVerify: Command = {
  name: 'migrate verify',
  about:
    'Compares this project with the source or target of a migration: definitions, the rows of every table, vault\n' +
    'secrets, cron jobs and large objects. With the project URL and the service key, downloads every object\n' +
    'from both projects and compares the bodies. Nothing is changed. The exit status is 1 if there is a difference.',
  options: {
    ...projectOptions,
    ...otherEndOptions('', 'the other project'),
    parallel: transferOptions.parallel,
    json: transferOptions.json,
  },
  examples: [
    [
      'plinth migrate verify --db-url postgresql://postgres@db.abc.supabase.co/postgres --project-url https://abc.supabase.co',
      'compares everything, with the password and the service key from the environment',
    ],
  ],
  run: async (input) => {
    const source = otherEnd(input, '', 'the other project');
    const needsObjects = source.storage !== undefined;
    const report = await withAbort((signal) =>
      withLocalEnd(locationOf(input), { needsObjects, isRead: true }, (target) =>
        verify({
          source,
          target,
          objects: needsObjects,
          parallel: parallelOf(input),
          onProgress: progressPrinter(say),
          signal,
        }),
      ),
    );
    const { differences, tables, rows, objects, objectBytes } = report;
    if (input.flag('json')) print(jsonText(report, 2));
    else
      print(
        [
          `Compared ${tables} tables (${rows} rows) and ${objects} objects (${sizeText(objectBytes)}).`,
          ...differences.map((difference) => `DIFFERENCE ${difference}`),
          differences.length === 0 ? 'No differences.' : `${differences.length} differences.`,
        ].join('\n'),
      );
    return differences.length === 0 ? 0 : 1;
  },
};
