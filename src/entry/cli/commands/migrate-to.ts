import { join, resolve } from 'node:path';
import { jsonText, sizeText } from '../../../base/shared/printable.ts';
import { checkTransfer, exportToFiles, type FilesReport, transfer } from '../../../project/migrate/index.ts';
import { type Command, type Input, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { withAbort } from '../interruption.ts';
import {
  checkText,
  functionsOptions,
  managementOf,
  otherEnd,
  otherEndOptions,
  parallelOf,
  reportText,
  sendFunctions,
  transferOptions,
  withLocalEnd,
} from '../migrate.ts';
import { print, progressPrinter, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const migrateTo: Command = {
  name: 'migrate to',
  about:
    'Copies this project to another Plinth server, to a hosted or self-hosted project, or to plain files. Copies everything\n' +
    'that "plinth migrate from" migrates. Run it again to continue, or to copy only the changes.',
  options: {
    ...transferOptions,
    ...otherEndOptions('target-', 'the target'),
    ...functionsOptions,
    'to-files': {
      type: 'string',
      value: 'DIR',
      help: 'Writes a dump for psql, the objects with a manifest, functions and settings to a folder instead.',
    },
    'with-secrets': {
      type: 'boolean',
      help: "Includes the vault's secrets and .env files in --to-files, in plain text.",
    },
  },
  examples: [
    [
      'plinth migrate to --target-db-url postgresql://postgres@db.abc.supabase.co/postgres --check',
      "lists the differences and everything that can't be migrated",
    ],
    [
      'plinth migrate to --target-db-url postgresql://postgres@db.abc.supabase.co/postgres --target-project-url https://abc.supabase.co',
      'copies everything, with the password and the service key from the environment',
    ],
    ['plinth migrate to --to-files export', 'writes everything to the export folder'],
  ],
  run: async (input) => {
    const folder = input.text('to-files');
    return folder === undefined ? await copyToServer(input) : await copyToFiles(input, resolve(folder));
  },
};

async function copyToServer(input: Input): Promise<number> {
  if (input.flag('with-secrets')) throw new UsageError('--with-secrets requires --to-files');
  const target = otherEnd(input, 'target-', 'the target');
  const location = locationOf(input);
  const access = managementOf(input, target.storage?.projectUrl);
  const check = input.flag('check');
  const isJson = input.flag('json');
  return await withAbort((signal) =>
    withLocalEnd(
      location,
      { needsObjects: target.storage !== undefined && !check, isRead: true },
      async (source) => {
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
        if (check) {
          const found = await checkTransfer(options);
          const { notes } = await sendFunctions(location, access, check);
          const report = { ...found, notes: [...found.notes, ...notes] };
          print(isJson ? jsonText(report, 2) : checkText(report));
          return report.failing.length + report.different.length === 0 ? 0 : 1;
        }
        const done = await transfer(options);
        const { functions, notes } = await sendFunctions(location, access, check);
        const report = { ...done, functions, notes: [...done.notes, ...notes] };
        print(isJson ? jsonText(report, 2) : reportText(report));
        return report.complete ? 0 : 1;
      },
    ),
  );
}

async function copyToFiles(input: Input, folder: string): Promise<number> {
  if (input.text('target-db-url') !== undefined || input.flag('check'))
    throw new UsageError("--to-files can't be used with --target-db-url or --check");
  const location = locationOf(input);
  if ((await findRunning(location.dataDir)) === undefined)
    say("Plinth isn't running, so the export won't contain objects.");
  const report = await withAbort((signal) =>
    withLocalEnd(location, { needsObjects: false, isRead: true }, (source) =>
      exportToFiles({
        source,
        folder,
        supabaseDir: join(location.projectDir, 'supabase'),
        withSecrets: input.flag('with-secrets'),
        onProgress: progressPrinter(say),
        signal,
      }),
    ),
  );
  print(input.flag('json') ? jsonText(report, 2) : filesText(report, folder));
  return 0;
}

const filesText = (
  { definitions, tables, rows, objects, objectBytes, notes }: FilesReport,
  folder: string,
): string =>
  [
    `Wrote ${definitions} definitions, ${rows} rows of ${tables} tables and ${objects} objects (${sizeText(objectBytes)}) to ${folder}.`,
    ...notes.map((note) => `Note: ${note}`),
  ].join('\n');
