/**
 * Runs SQL and scripts on one connection. Rows are returned as objects or as text. Statements are prepared once and
 * cached.
 */
import type { Sql, SqlValue } from '../../../base/kernel/sql.ts';
import { type Trace, traces } from '../../../base/kernel/trace.ts';
import type { Queryable, RawRow, Row, TextResult } from '../types.ts';
import { Batch, type RowReader, type Step, type StepRows } from './batch.ts';
import { Connection } from './connection.ts';
import type { ConnectionOptions } from './exchange.ts';
import type { WireParameter } from './messages/message-writer.ts';
import { readTexts, Status } from './messages/messages.ts';
import { RowView } from './rows/row-view.ts';
import { type Decoder, decoderOf, encodeValue, readRow } from './rows/values.ts';
import { runScript } from './script.ts';
import { type PreparedStatement, StatementCache } from './statement-cache.ts';

const MAX_STATEMENTS = 100;

/** The settings that every session must have, because {@link decoderOf} depends on these formats. */
const SESSION_PARAMETERS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC', IntervalStyle: 'postgres' };
/**
 * The settings that poolers apply to each session that they use for a client. PgBouncer before version 1.20 rejects
 * connections with other settings.
 */
const POOLED_PARAMETERS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' };

interface CompiledStatement {
  readonly text: string;
  readonly parameters: readonly WireParameter[];
}

export class Client implements Queryable {
  readonly connection: Connection;
  #statements: StatementCache;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#statements = newCache(connection, true);
  }

  static async connect(options: ConnectionOptions): Promise<Client> {
    const own = options.isPooled === true ? POOLED_PARAMETERS : SESSION_PARAMETERS;
    const parameters = { ...(options.bareSession ? {} : own), ...options.parameters };
    return new Client(await Connection.open({ ...options, parameters, keepsNoBytes: true }));
  }

  get processId(): number {
    return this.connection.processId;
  }

  async query<R extends object = Row>(statement: Sql): Promise<R[]> {
    const { text, values } = statement.compile();
    const step = await noted(text, this.#run(text, values, readObject));
    return step.rows as R[];
  }

  async queryText(statement: Sql): Promise<TextResult> {
    const { text, values } = statement.compile();
    const step = await noted(text, this.#run(text, values, readTexts));
    return { columns: step.statement.columns ?? [], rows: step.rows, commandTag: step.commandTag };
  }

  async exec(text: string): Promise<void> {
    await noted(text, runScript(this.connection, text));
  }

  /**
   * Sends several statements of a transaction in one write. If a statement fails, the following statements don't run.
   * Before a statement with an array whose parameter types aren't known yet, the earlier statements are sent separately,
   * because they may set the role that is allowed to prepare the statement.
   */
  async batch(
    statements: readonly Sql[],
  ): Promise<readonly { readonly rows: readonly Row[]; readonly commandTag: string }[]> {
    return this.#sendAll(statements, (compiled) =>
      this.#send((open) => {
        for (const { text, parameters } of compiled) addTo(open, text, parameters);
      }, readObject),
    );
  }

  /**
   * Runs statements like {@link batch}, but passes the rows of `statements[at]` to `onRow` one by one, and discards the
   * rows of the other statements. The rows are final only once the promise has resolved.
   */
  async batchRows(
    statements: readonly Sql[],
    at: number,
    onRow: (row: RawRow) => void,
  ): Promise<readonly { readonly commandTag: string }[]> {
    const row = new RowView();
    return this.#sendAll(statements, (compiled, offset) =>
      this.#send(
        (open) => {
          compiled.forEach(({ text, parameters }, index) => {
            addTo(open, text, parameters, { keeps: offset + index === at });
          });
        },
        (buffer, start) => onRow(row.moveTo(buffer, start)),
      ),
    );
  }

  /**
   * Empties the statement cache after DISCARD ALL, which removes all prepared statements. `named` specifies whether
   * statements that are prepared later get names on the server. The parameter must be false behind a pooler.
   */
  nameStatements(named: boolean): void {
    this.#statements = newCache(this.connection, named);
  }

  /**
   * Compiles the statements and sends them with `send`, in as few parts as possible. `offset` is the number of
   * statements in earlier parts.
   */
  async #sendAll<T>(
    statements: readonly Sql[],
    send: (part: readonly CompiledStatement[], offset: number) => Promise<Batch<T>>,
  ): Promise<readonly Step<T>[]> {
    const steps: Step<T>[] = [];
    let part: CompiledStatement[] = [];
    const sendPart = async () => {
      const batch = await send(part, steps.length);
      if (batch.error !== undefined) throw batch.error;
      steps.push(...batch.steps);
      part = [];
    };
    for (const statement of statements) {
      const { text, values } = statement.compile();
      let types: readonly number[] | undefined;
      if (values.some(Array.isArray)) {
        types = this.#statements.get(text)?.parameterTypes;
        if (types === undefined) {
          if (part.length > 0) await sendPart();
          types = await this.#parameterTypes(text);
        }
      }
      part.push({ text, parameters: encodeValues(values, types) });
    }
    await sendPart();
    return steps;
  }

  async #run<T>(text: string, values: readonly SqlValue[], readRow: RowReader<T>): Promise<Step<T>> {
    // A parameter's type determines whether an array is sent as a PostgreSQL array or as JSON. Nothing else is awaited
    // before the statement is sent, because statements must be sent in the order of the calls.
    const types = values.some(Array.isArray) ? await this.#parameterTypes(text) : undefined;
    const parameters = encodeValues(values, types);
    const add = (open: Batch<T>) => open.add(text, text, parameters);
    let batch = await this.#send(add, readRow);
    // The statement can be retried only outside a transaction, because the error aborts an open transaction.
    if (batch.stale && this.connection.transactionStatus === Status.Idle)
      batch = await this.#send(add, readRow);
    if (batch.error !== undefined) throw batch.error;
    return batch.steps[0] as Step<T>;
  }

  async #parameterTypes(text: string): Promise<readonly number[] | undefined> {
    const known = this.#statements.get(text);
    if (known?.parameterTypes !== undefined) return known.parameterTypes;
    const batch = await this.#send((open) => open.addDescribe(text, text), readTexts);
    if (batch.error !== undefined) throw batch.error;
    return batch.steps[0]?.statement.parameterTypes;
  }

  #send<T>(fill: (batch: Batch<T>) => void, readRow: RowReader<T>): Promise<Batch<T>> {
    return new Promise((resolve) => {
      const batch = new Batch<T>(
        { connection: this.connection, statements: this.#statements },
        readRow,
        resolve,
      );
      try {
        fill(batch);
      } catch (error) {
        batch.discard();
        throw error;
      }
      batch.submit();
    });
  }
}

/** Adds a statement of a transaction. SET LOCAL isn't prepared, because its text contains a value. */
function addTo<T>(
  batch: Batch<T>,
  text: string,
  parameters: readonly WireParameter[],
  rows?: StepRows,
): void {
  if (text.startsWith('set local ')) batch.addOnce(text);
  else batch.add(text, text, parameters, rows);
}

function newCache({ options }: Connection, named: boolean): StatementCache {
  return StatementCache.of(named ? options : { ...options, namedStatements: false }, MAX_STATEMENTS);
}

/** Adds the statement to the current request's trace, if the request is traced. */
function noted<T>(text: string, work: Promise<T>): Promise<T> {
  const trace = traces.getStore();
  return trace === undefined ? work : timed(trace, text, work);
}

async function timed<T>(trace: Trace, text: string, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    const result = await work;
    trace.statement(text, startedAt, performance.now());
    return result;
  } catch (error) {
    trace.statement(text, startedAt, performance.now(), (error as { code?: string }).code);
    throw error;
  }
}

function encodeValues(values: readonly SqlValue[], types: readonly number[] | undefined): WireParameter[] {
  return values.map((value, index) => encodeValue(value, types?.[index]));
}

interface RowShape {
  readonly names: readonly string[];
  readonly decoders: readonly Decoder[];
}

function readObject(buffer: Buffer, start: number, statement: PreparedStatement): Row {
  statement.derived ??= shapeOf(statement);
  const shape = statement.derived as RowShape;
  return readRow(buffer, start, shape.names, shape.decoders);
}

function shapeOf(statement: PreparedStatement): RowShape {
  const columns = statement.columns ?? [];
  return {
    names: columns.map((column) => column.name),
    decoders: columns.map((column) => decoderOf(column.typeOid)),
  };
}

/** Returns the server's version as a number. For example, the number for version `18.4` is 180004. */
export function readVersion(client: Client): number {
  const [major = '0', minor = '0'] = (client.connection.parameters.get('server_version') ?? '').split(
    /[.\s]/,
  );
  return Number(major) * 10_000 + (Number.parseInt(minor, 10) || 0);
}
