/**
 * Runs SQL for a client of the Management API and returns its rows as JSON values. Read-only SQL runs as on the
 * Console's SQL page: each statement is checked before it runs (sql-page/read-only.ts).
 */
import { isPostgresError, type PostgresErrorShape } from '../../../base/shared/errors.ts';
import type { Database } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import { databaseRoleOf } from '../persona/act.ts';
import type { ParameterValue, RunEvent } from '../sql-page/contract.ts';
import { typeNames } from '../sql-page/queries.ts';
import { readOnlyPrefix } from '../sql-page/read-only.ts';
import { runScript } from '../sql-page/run.ts';
import { requireValues, runnables, statementsIn } from '../sql-page/runnable.ts';
import { jsonValue, parameterText } from './core/json-values.ts';
import { ManagementError } from './handlers.ts';

export interface SqlRequest {
  readonly query: string;
  readonly parameters: readonly unknown[];
  readonly isReadOnly: boolean;
}

export interface SqlResult {
  /** The rows of the last statement that returned rows, as upstream sends them. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The command tags of the statements. */
  readonly tags: readonly string[];
}

/** The maximum number of rows of a statement. */
const maxRows = 50_000;
const maxResultChars = 10 * 1024 * 1024;
const timeoutMs = 60_000;

/**
 * Runs the statements. The statements run in one transaction unless they control transactions themselves.
 * @throws {ManagementError} 400 if a statement fails or isn't allowed
 */
export async function runSql(
  database: Database,
  request: SqlRequest,
  signal: AbortSignal,
): Promise<SqlResult> {
  const result = new CollectedRows();
  const tags = await run(database, request, signal, result);
  return { rows: result.rows, tags };
}

/** The results of a script. If a statement fails, `error` describes the failure, and `results` is empty. */
export interface ScriptResults {
  readonly results: readonly StatementResult[];
  readonly error: ScriptError | null;
  /** The command tags of the statements. */
  readonly tags: readonly string[];
}

export interface StatementResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The values as PostgreSQL's text. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly tag: string;
}

/** A failure. `at` is a position in the script, in UTF-16 code units. */
export type ScriptError = Omit<RunEvent & { readonly event: 'error' }, 'event'>;

/** Like {@link runSql}, but returns the results of all statements, with every value as text. */
export async function runSqlScript(
  database: Database,
  request: Omit<SqlRequest, 'parameters'>,
  signal: AbortSignal,
): Promise<ScriptResults> {
  const collected = new CollectedResults();
  const tags = await run(database, { ...request, parameters: [] }, signal, collected);
  const { error } = collected;
  return { results: error === null ? collected.results : [], error, tags };
}

/** Runs the statements and returns their command tags. */
async function run(
  database: Database,
  { query, parameters, isReadOnly }: SqlRequest,
  signal: AbortSignal,
  result: Collected,
): Promise<readonly string[]> {
  const values = parameters.map(
    (value, index): ParameterValue => ({
      name: String(index + 1),
      type: 'auto',
      value: parameterText(value),
    }),
  );
  const role = databaseRoleOf(isReadOnly ? 'read-only' : 'owner');
  const stopped = AbortSignal.any([signal, result.signal]);
  try {
    const statements = statementsIn(query);
    requireValues(statements, values);
    const { tags } = await runScript({
      database,
      runnables: await runnables(database, statements, { values, isReadOnly, signal: stopped }),
      identity: { role, claims: undefined, name: role, operatorRole: role },
      isReadOnly,
      maxRows,
      maxCellBytes: maxResultChars,
      timeoutMs,
      typeNames: await typeNames(database.pool('postgres')),
      output: result,
      signal: stopped,
    });
    result.throwIfFailed();
    return tags;
  } catch (error) {
    result.throwIfFailed();
    throw asManagementError(error);
  }
}

function asManagementError(error: unknown): unknown {
  if (error instanceof ConsoleError) {
    // The query can be read-only because the request asked for it, regardless of the role.
    const message = error.message.replace(readOnlyPrefix, 'This query must be read-only.');
    return new ManagementError(error.status === 403 ? 400 : error.status, message, { cause: error });
  }
  if (!isPostgresError(error)) return error;
  return new ManagementError(400, failure({ ...error, message: error.message }), { cause: error });
}

/** Returns an error from PostgreSQL in upstream's form. */
const failure = ({
  severity,
  code,
  message,
  detail,
  hint,
}: Pick<PostgresErrorShape, 'code' | 'message'> &
  Partial<Pick<PostgresErrorShape, 'severity' | 'detail' | 'hint'>>): string =>
  [
    `Failed to run sql query: ${severity ?? 'ERROR'}:  ${code}: ${message}`,
    ...(detail ? [`DETAIL:  ${detail}`] : []),
    ...(hint ? [`HINT:  ${hint}`] : []),
  ].join('\n');

/** Collects the events of a run. Aborts the run if the results become too large. */
abstract class Collected {
  #chars = 0;
  #failure: ManagementError | undefined;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;

  emit(event: RunEvent): boolean {
    if (event.event === 'rows') {
      for (const row of event.rows) for (const cell of row) this.#chars += cell?.length ?? 0;
      this.take(event);
      if (this.#chars > maxResultChars)
        this.stop(`The result is larger than ${maxResultChars / 2 ** 20} MiB. Select fewer columns or rows.`);
    } else if (event.event === 'end' && event.more) {
      this.stop(`The result has more than ${maxRows} rows. Add a LIMIT clause.`);
      this.take(event);
    } else this.take(event);
    return true;
  }

  async drained(): Promise<void> {}

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  protected abstract take(event: RunEvent): void;

  protected fail(message: string): void {
    this.#failure ??= new ManagementError(400, message);
  }

  private stop(message: string): void {
    this.fail(message);
    this.#controller.abort(this.#failure);
  }
}

/** Collects the rows of the last statement that returns rows. */
class CollectedRows extends Collected {
  rows: readonly Readonly<Record<string, unknown>>[] = [];
  #columns: StatementResult['columns'] = [];
  #current: Record<string, unknown>[] = [];

  protected take(event: RunEvent): void {
    switch (event.event) {
      case 'columns':
        this.#columns = event.columns;
        break;
      case 'rows':
        for (const row of event.rows)
          this.#current.push(
            Object.fromEntries(
              this.#columns.map(({ name, type }, index) => [name, jsonValue(row[index] ?? null, type)]),
            ),
          );
        break;
      case 'end':
        if (this.#current.length > 0) this.rows = this.#current;
        this.#current = [];
        this.#columns = [];
        break;
      case 'error':
        this.fail(failure({ ...event, code: event.sqlstate }));
        break;
    }
  }
}

/** Collects the results of all statements. */
class CollectedResults extends Collected {
  readonly results: StatementResult[] = [];
  error: ScriptError | null = null;
  #columns: StatementResult['columns'] = [];
  #rows: (readonly (string | null)[])[] = [];

  protected take(event: RunEvent): void {
    switch (event.event) {
      case 'columns':
        this.#columns = event.columns;
        break;
      case 'rows':
        this.#rows.push(...event.rows);
        break;
      case 'end':
        this.results.push({ columns: this.#columns, rows: this.#rows, tag: event.tag });
        this.#columns = [];
        this.#rows = [];
        break;
      case 'error': {
        const { event: _, ...error } = event;
        this.error ??= error;
        break;
      }
    }
  }
}
