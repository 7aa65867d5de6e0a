import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { shortContext } from '../../../../base/shared/sql/error-context.ts';
import {
  type ConnectionOptions,
  openTextSession,
  PostgresError,
  type ScriptResult,
} from '../../../../platform/database/index.ts';
import { markPosition } from '../../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../../command.ts';
import {
  type QueryFormat,
  type QueryResult,
  queryFormats,
  renderForAgent,
  renderRows,
} from '../../core/query-output.ts';
import { CommandError } from '../../errors.ts';
import { databaseTarget } from '../../history-target.ts';
import type { ManagementClient } from '../../management/client.ts';
import { print, printData, say } from '../../output.ts';
import { locationOf } from '../../project-location.ts';
import { withCleanUp } from '../../signals.ts';
import { targetOptions, withTarget } from '../../target-database.ts';

export const dbQuery: Command = {
  name: 'db query',
  takes: '[SQL]',
  about:
    'Runs SQL and prints the result. Several statements run in one transaction, unless they control transactions\n' +
    'themselves. SQL can also come from a file or from stdin.',
  options: {
    ...projectOptions,
    file: { type: 'string', short: 'f', value: 'FILE', help: 'Reads the SQL from a file.' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      help: 'table (default), json or csv. With json and csv, only the last result is printed.',
    },
    agent: {
      type: 'string',
      value: 'MODE',
      help: 'With yes, prints JSON with a warning not to trust the data. Default: no.',
    },
    'read-only': {
      type: 'boolean',
      help:
        "Starts transactions as read-only. SQL can override this, so don't run untrusted SQL with it. A linked " +
        'server instead rejects all statements that can make changes.',
    },
    ...targetOptions,
    linked: { type: 'boolean', help: 'Uses the linked server or database.' },
  },
  examples: [
    ['plinth db query "select * from todos limit 5"', 'prints a table'],
    ['plinth db query -f report.sql -o csv > report.csv', 'runs a file and writes CSV'],
    [
      'plinth db query --linked "select count(*) from auth.users" -o json',
      'queries the linked server or database',
    ],
  ],
  run: async (input) => {
    const isAgent = input.text('agent') === 'yes';
    const format = formatOf(input, isAgent);
    const source = sourceOf(input);
    const run = async (target: ConnectionOptions): Promise<readonly ScriptResult[]> => {
      const session = await openTextSession(target, {
        applicationName: 'plinth db query',
        onNotice: ({ severity, message }) => say(`${severity}: ${message}`),
      });
      let isRunning = true;
      return await withCleanUp(
        async () => {
          try {
            if (input.flag('read-only')) await session.run('set default_transaction_read_only = on');
            return await session.run(source.text);
          } catch (error) {
            throw error instanceof PostgresError ? explain(source, error) : error;
          } finally {
            isRunning = false;
          }
        },
        async () => {
          if (isRunning) await session.cancel().catch(() => undefined);
          session.end();
        },
      );
    };
    const location = locationOf(input);
    const target = databaseTarget(location, input);
    const results =
      target !== 'local' && 'server' in target
        ? await runOnServer(target.server, source, input.flag('read-only'))
        : await withTarget(location, input, run, { allowsIncomplete: true });
    show(results, format, isAgent);
    return 0;
  },
};

/** The result of a statement, with the columns' types by name. */
interface ServerResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: ScriptResult['rows'];
  readonly tag: string;
}

interface ServerFailure extends Pick<Failure, 'message' | 'detail' | 'hint' | 'where'> {
  readonly sqlstate: string;
  /** The position in the SQL, in UTF-16 code units. */
  readonly at: number | null;
}

async function runOnServer(
  server: ManagementClient,
  source: Source,
  isReadOnly: boolean,
): Promise<QueryResults> {
  const { results, error } = await server.call<{
    readonly results: readonly ServerResult[];
    readonly error: ServerFailure | null;
  }>('runScript', { query: source.text, read_only: isReadOnly });
  if (error !== null) {
    const { sqlstate: code, at, ...failure } = error;
    // PostgreSQL counts characters, starting at 1.
    const position = at === null ? undefined : [...source.text.slice(0, at)].length + 1;
    throw explain(source, { ...failure, code, position });
  }
  return results.map(({ columns, rows, tag: commandTag }) => ({
    columns: columns.map(({ name, type }) => ({ name, typeOid: formattedTypes[type] ?? 0 })),
    rows,
    commandTag,
  }));
}

type QueryResults = readonly (QueryResult & { readonly commandTag: string })[];

/** The OIDs of the types whose values aren't printed as text in JSON. */
const formattedTypes: Readonly<Record<string, number>> = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  oid: 26,
  json: 114,
  real: 700,
  'double precision': 701,
  numeric: 1700,
  jsonb: 3802,
};

interface Source {
  readonly text: string;
  /** The file from which the SQL was read, if any. */
  readonly file: string | undefined;
}

function formatOf(input: Input, isAgent: boolean): QueryFormat {
  const text = input.text('output') ?? (isAgent ? 'json' : 'table');
  const format = queryFormats.find((each) => each === text);
  if (format === undefined)
    throw new UsageError(`--output: ${text} must be one of ${queryFormats.join(', ')}`);
  return format;
}

function sourceOf(input: Input): Source {
  const file = input.text('file');
  const [sql] = input.positionals;
  if (file !== undefined && sql !== undefined) throw new UsageError("SQL and --file can't be used together");
  const text = file === undefined ? (sql ?? readStdin()) : readFileSync(file, 'utf8');
  if (text.includes('\0'))
    throw new CommandError("SQL can't contain a null character. Save the file as UTF-8.");
  if (text.trim() === '') throw new UsageError('The SQL is empty');
  return { text, file };
}

function readStdin(): string {
  if (process.stdin.isTTY)
    throw new UsageError('SQL is required, as an argument, with --file, or from stdin');
  return readFileSync(0, 'utf8');
}

type Failure = Pick<PostgresError, 'message' | 'code' | 'detail' | 'hint' | 'where' | 'position'>;

/** Describes the error, with the line number, the surrounding SQL, and a caret below the error's position. */
function explain({ text, file }: Source, failure: Failure): CommandError {
  const { message, code, detail, hint, position } = failure;
  const where = shortContext(failure.where);
  const line =
    position === undefined
      ? undefined
      : [...text]
          .slice(0, position - 1)
          .join('')
          .split('\n').length;
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return new CommandError(
    `${place === '' ? '' : file === undefined ? `Line ${place}: ` : `${place}: `}${message} (SQLSTATE ${code})`,
    ...(detail === undefined ? [] : [`Detail: ${detail}`]),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(where === undefined ? [] : [`Where: ${where}`]),
    ...(position === undefined ? [] : [markPosition(text, position)]),
  );
}

function show(results: QueryResults, format: QueryFormat, isAgent: boolean): void {
  const withRows = results.filter(({ columns }) => columns.length > 0);
  if (format === 'table' || withRows.length === 0) {
    for (const result of results)
      print(result.columns.length === 0 ? result.commandTag : renderRows(result, 'table'));
    return;
  }
  const last = withRows.at(-1);
  if (last === undefined) return;
  if (withRows.length > 1) say(`Printing the last of ${withRows.length} results.`);
  printData(
    `${
      isAgent && format === 'json'
        ? renderForAgent(last, randomBytes(16).toString('hex'))
        : renderRows(last, format)
    }\n`,
  );
}
