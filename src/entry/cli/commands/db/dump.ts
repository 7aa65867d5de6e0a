import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import { oneLine } from '../../../../base/shared/printable.ts';
import {
  type DumpOptions,
  type DumpReport,
  dumpDatabase,
  fileOutput,
  readDumpFile,
  restoreDump,
  streamOutput,
} from '../../../../operations/dump/index.ts';
import { announceSchema } from '../../../../platform/database/index.ts';
import { announcing } from '../../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../../command.ts';
import { CommandError } from '../../errors.ts';
import { dataStream, print, say } from '../../output.ts';
import { locationOf } from '../../project-location.ts';
import { withAbort } from '../../signals.ts';
import { targetOptions, withTarget } from '../../target-database.ts';

/** The size of the key after `\\restrict`, which the dumped database must not be able to guess. */
const restrictKeyBytes = 32;

export const dbDump: Command = {
  name: 'db dump',
  about:
    'Writes the database as SQL that you can run with "plinth db restore" or psql. By default, the dump contains the project\'s\n' +
    'roles without passwords, its schemas, and all rows including users and storage metadata. Schemas that Plinth\n' +
    'creates itself, object bodies, Console operators and vault secrets are excluded. "plinth backup" includes them.',
  options: {
    ...projectOptions,
    file: { type: 'string', short: 'f', value: 'FILE', help: 'File to write. Default: stdout.' },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to include. Default: all schemas of the project.',
    },
    'schema-only': { type: 'boolean', help: "Doesn't write rows." },
    'data-only': { type: 'boolean', help: 'Writes only rows and sequence values.' },
    'roles-only': { type: 'boolean', help: 'Writes only roles, their memberships and settings.' },
    'role-only': { type: 'boolean', help: 'The same as --roles-only.' },
    exclude: {
      type: 'string',
      short: 'x',
      multiple: true,
      value: 'SCHEMA.TABLE',
      help: 'Tables whose rows are excluded from --data-only.',
    },
    inserts: { type: 'boolean', help: 'Writes rows as INSERT statements instead of COPY.' },
    'use-copy': { type: 'boolean', help: 'Writes rows as COPY (default).' },
    'keep-comments': { type: 'boolean', help: 'Has no effect. Accepted for compatibility.' },
    'dry-run': { type: 'boolean', help: 'Reads the catalogs and prints the number of objects.' },
    ...targetOptions,
  },
  examples: [
    ['plinth db dump -f dump.sql', 'writes everything that is needed to move to another database'],
    ['plinth db dump --schema-only --schema public', 'prints one schema without rows'],
    ['plinth db dump --data-only -x public.logs -f data.sql', 'writes the rows of all tables except one'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const content = contentOf(input);
    const file = input.text('file');
    const isDryRun = input.flag('dry-run');
    const output = isDryRun
      ? streamOutput(new Writable({ write: (_chunk, _encoding, done) => done() }))
      : file === undefined
        ? streamOutput(dataStream())
        : await fileOutput(file);
    try {
      const report = await withAbort((signal) =>
        withTarget(location, input, (target) =>
          dumpDatabase({
            target,
            output,
            content: isDryRun && content !== 'roles' ? 'schema' : content,
            schemas: input.list('schema'),
            excludedTables: input.list('exclude'),
            restrictKey: randomBytes(restrictKeyBytes).toString('hex'),
            inserts: input.flag('inserts') && !input.flag('use-copy'),
            onProgress: say,
            signal,
          }),
        ),
      );
      await output.finish();
      say(summary(report, isDryRun ? undefined : file));
      return 0;
    } catch (error) {
      await output.discard();
      throw error;
    }
  },
};

function contentOf(input: Input): DumpOptions['content'] {
  const roles = input.flag('roles-only') || input.flag('role-only');
  const contents: DumpOptions['content'][] = [
    ...(roles ? (['roles'] as const) : []),
    ...(input.flag('data-only') ? (['data'] as const) : []),
    ...(input.flag('schema-only') ? (['schema'] as const) : []),
  ];
  if (contents.length > 1)
    throw new UsageError("--schema-only, --data-only and --roles-only can't be used together");
  const [content = 'all'] = contents;
  if (content === 'roles' && input.list('schema').length > 0)
    throw new UsageError("--roles-only and --schema can't be used together");
  if (content !== 'data' && input.list('exclude').length > 0)
    throw new UsageError('--exclude requires --data-only');
  return content;
}

function summary({ objects, tables, rows, unsupported }: DumpReport, file: string | undefined): string {
  const place = file === undefined ? '' : ` to ${file}`;
  return [
    `Dumped ${objects} objects and ${rows} rows of ${tables} tables${place}.`,
    ...unsupported.map((object) => `Not included: ${oneLine(object)}.`),
  ].join('\n');
}

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
