/** Commands that move a project to or from another server, and compare both. */
import { join, resolve } from 'node:path';
import { jsonText, sizeText } from '../../../base/shared/printable.ts';
import {
  checkTransfer,
  exportToFiles,
  type FilesReport,
  transfer,
  verify,
} from '../../../project/migrate/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import {
  checkText,
  functionsOptions,
  managementOf,
  migrateFunctions,
  otherEnd,
  otherEndOptions,
  parallelOf,
  reportText,
  sendFunctions,
  tokenNotes,
  transferOptions,
  withLocalEnd,
} from '../migrate.ts';
import { print, progressPrinter, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { withAbort } from '../signals.ts';

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
        const options = { source, target, ...transferInput(input, signal) };
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

/** Returns the options of a transfer in either direction. */
const transferInput = (input: Input, signal: AbortSignal) => ({
  startJobs: input.flag('start-jobs'),
  keepGoing: input.flag('keep-going'),
  overwrite: input.flag('overwrite'),
  parallel: parallelOf(input),
  onProgress: progressPrinter(say),
  signal,
});

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
        const options = { source, target, ...transferInput(input, signal) };
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
