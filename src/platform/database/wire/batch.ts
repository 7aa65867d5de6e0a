/**
 * A batch of statements in the extended protocol that ends with one Sync. The statements are bound and executed in
 * sequence, in one implicit transaction or inside an open transaction. The server sends one combined response for all
 * statements.
 */
import type { Cancellation, Overflow, RowFlow } from '../types.ts';
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { LargeMessage } from './messages/message-reader.ts';
import type { WireParameter } from './messages/message-writer.ts';
import { Backend, readColumns, readParameterTypes } from './messages/messages.ts';
import { type Cells, JoinedRows, SpilledRows } from './rows/spilled-rows.ts';
import type { PreparedStatement, StatementCache } from './statement-cache.ts';

/** Reads a row. `start` is the offset of the body of the row's DataRow message. */
export type RowReader<T> = (buffer: Buffer, start: number, statement: PreparedStatement) => T;

/** A statement in a batch, with its result. */
export interface Step<T> {
  readonly statement: PreparedStatement;
  /** Whether this batch contains the statement's Parse message. */
  readonly fresh: boolean;
  /** Whether the statement's rows are kept. */
  readonly keepsRows: boolean;
  bound: boolean;
  readonly rows: T[];
  /** The total number of rows, both those in memory and those in a store. */
  rowCount: number;
  /** Collects the rows if the caller requests them as one joined text. */
  readonly joined: JoinedRows | undefined;
  commandTag: string;
  /** Stores rows that don't fit into memory. The store is used only if rows are read as cells. */
  readonly overflow: Overflow | undefined;
  rowBytes: number;
  roomBytes: number;
  spilled: SpilledRows | undefined;
}

/** A limit that accepts rows of any size. */
const ANY_SIZE = 0x7fff_ffff;

/**
 * The maximum length of a cached statement. Longer statements, such as bulk inserts, are built for a single use, so
 * caching them would only waste memory.
 */
const KEPT_TEXT_LENGTH = 16 * 1024;

/** What happens to the rows that a statement returns. */
export interface StepRows {
  readonly keeps: boolean;
  readonly overflow?: Overflow | undefined;
  /** The separator, if the rows are requested as one joined text. */
  readonly joinWith?: Uint8Array | undefined;
}

const KEPT: StepRows = { keeps: true };
const NOT_KEPT: StepRows = { keeps: false };

export class Batch<T> implements Exchange {
  readonly extended = true;
  readonly steps: Step<T>[] = [];
  /** The object whose `refuse` is called if the rows of a step can't be stored. */
  refuser: Pick<RowFlow, 'refuse'> | undefined;
  /** The signal that is passed to each store when it is opened. */
  signal: Cancellation | undefined;
  /** The error that ended the batch. The error is undefined if the batch succeeded or hasn't ended. */
  error: PostgresError | ConnectionError | undefined;
  readonly #connection: Connection;
  readonly #prepareAgain: boolean;
  readonly #start: number;
  readonly #statements: StatementCache;
  readonly #readRow: RowReader<T>;
  readonly #onEnd: (batch: Batch<T>) => void;
  /** The index of the step whose response is being received. */
  #at = 0;
  #parsed = false;

  /** Creates an empty batch. If `prepareAgain` is true, every statement is prepared again. */
  constructor(
    { connection, statements }: { readonly connection: Connection; readonly statements: StatementCache },
    readRow: RowReader<T>,
    onEnd: (batch: Batch<T>) => void,
    prepareAgain = false,
  ) {
    this.#prepareAgain = prepareAgain;
    this.#connection = connection;
    this.#start = connection.writer.length;
    this.#statements = statements;
    this.#readRow = readRow;
    this.#onEnd = onEnd;
  }

  /** Adds a statement. Writes Bind and Execute, preceded by Parse if the connection hasn't prepared the statement. */
  add(key: string, text: string, parameters: readonly WireParameter[], rows: StepRows = KEPT): void {
    const { writer } = this.#connection;
    let known = this.#statements.get(key);
    if (this.#prepareAgain && known !== undefined) {
      this.#statements.close(writer, known);
      known = undefined;
    }
    const statement = known ?? this.#statements.prepare(writer, key, text);
    writer.bind(statement.name, parameters);
    writer.execute();
    if (text.length > KEPT_TEXT_LENGTH) this.#statements.close(writer, statement);
    this.#push(statement, known === undefined, rows);
  }

  /** Adds a statement without parameters that isn't used again, such as SET with a value in its text. */
  addOnce(text: string): void {
    const { writer } = this.#connection;
    writer.parse('', text);
    writer.bind('', []);
    writer.execute();
    const statement = { key: text, name: '', text, columns: [], parameterTypes: [], derived: undefined };
    this.#push(statement, true, NOT_KEPT);
  }

  /** Writes only Parse and Describe, to determine the types of a statement's parameters. */
  addDescribe(key: string, text: string): PreparedStatement {
    const statement = this.#statements.prepare(this.#connection.writer, key, text);
    this.#push(statement, true, NOT_KEPT);
    return statement;
  }

  #push(statement: PreparedStatement, fresh: boolean, { keeps, overflow, joinWith }: StepRows): void {
    this.steps.push({
      statement,
      fresh,
      keepsRows: keeps,
      bound: false,
      rows: [],
      rowCount: 0,
      joined: joinWith === undefined ? undefined : new JoinedRows(joinWith),
      commandTag: '',
      overflow,
      rowBytes: 0,
      roomBytes: overflow?.freeBytes ?? ANY_SIZE,
      spilled: undefined,
    });
  }

  /**
   * Removes this batch's messages before they are sent. Called if a later part of the batch can't be encoded, for
   * example because of a null byte or too many parameters.
   */
  discard(): void {
    this.#connection.writer.truncate(this.#start);
    for (const { statement, fresh } of this.steps) if (fresh) this.#statements.forget(statement);
  }

  submit(): void {
    this.#connection.writer.sync();
    this.#connection.submit(this);
  }

  /**
   * Whether the batch failed only because a prepared statement is stale, which means that the statement was deallocated
   * (26000) or its result type changed (0A000). The failed step didn't run, so the batch can be retried safely.
   */
  get stale(): boolean {
    const step = this.steps[this.#at];
    const code = this.error?.code;
    return step !== undefined && !step.fresh && !step.bound && (code === '26000' || code === '0A000');
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    const step = this.steps[this.#at];
    if (step === undefined) return;
    switch (type) {
      case Backend.DataRow:
        if (!step.keepsRows) return;
        step.rowCount++;
        step.rowBytes += end - start;
        if (step.rowBytes > step.roomBytes && this.#spills(step)) step.spilled?.add(buffer, start);
        else if (step.joined !== undefined) step.joined.add(buffer, start, end);
        else step.rows.push(this.#readRow(buffer, start, step.statement));
        return;
      case Backend.BindComplete:
        step.bound = true;
        return;
      case Backend.CommandComplete:
        step.commandTag = buffer.toString('latin1', start, end - 1);
        this.#next();
        return;
      case Backend.EmptyQueryResponse:
        this.#next();
        return;
      case Backend.ParseComplete:
        this.#parsed = true;
        return;
      case Backend.ParameterDescription:
        step.statement.parameterTypes = readParameterTypes(buffer, start);
        return;
      case Backend.RowDescription:
        step.statement.columns = readColumns(buffer, start);
        return;
      case Backend.NoData:
        step.statement.columns = [];
        return;
      case Backend.CopyInResponse:
        // The server ignores copy data until CopyFail arrives, and then ends the statement with an error.
        this.#connection.writer.copyFail("COPY FROM STDIN isn't supported here.");
        this.#connection.writer.sync();
        this.#connection.flush();
    }
  }

  large(type: number, sizeBytes: number): LargeMessage | undefined {
    const step = this.steps[this.#at];
    if (type !== Backend.DataRow || !step?.keepsRows || step.overflow === undefined) return undefined;
    step.rowCount++;
    step.rowBytes += sizeBytes;
    return this.#spills(step) ? step.spilled?.receive() : undefined;
  }

  failed(error: PostgresError): void {
    this.error ??= error;
  }

  ready(): void {
    if (this.error !== undefined) this.#tidy();
    this.#onEnd(this);
  }

  lost(error: ConnectionError): void {
    this.error = error;
    this.#onEnd(this);
  }

  /**
   * Starts to write the rows of a step to a store if the rows exceed the limit. Returns false if the rows can still be
   * kept in memory.
   */
  #spills(step: Step<T>): boolean {
    if (step.overflow === undefined) return false;
    const connection = this.#connection;
    step.spilled ??= new SpilledRows(
      step.rows as Cells[],
      () => step.joined?.take() ?? (step.rows as Cells[]).splice(0),
      step.overflow.column,
      step.overflow.open(
        {
          pause: () => connection.pause(),
          resume: () => connection.resume(),
          refuse: () => this.refuser?.refuse(),
        },
        this.signal,
      ),
    );
    step.roomBytes = step.spilled.room(step.rowBytes);
    return step.rowBytes > step.roomBytes;
  }

  #next(): void {
    this.#at++;
    this.#parsed = false;
  }

  /**
   * Removes the statements that weren't prepared from the cache. After an error, the server skips the rest of the
   * batch, so the statements of later steps were never prepared.
   */
  #tidy(): void {
    for (let index = this.#at; index < this.steps.length; index++) {
      const { statement, fresh } = this.steps[index] as Step<T>;
      const exists = index === this.#at && this.#parsed;
      if (fresh && !exists) this.#statements.forget(statement);
    }
    const step = this.steps[this.#at];
    if (step === undefined || !this.stale) return;
    // If one prepared statement was deallocated, all of them were. Clears the statement cache unless the previous batch
    // has already cleared it.
    if (this.error?.code === '26000') this.#statements.clearIfHolding(step.statement);
    else this.#statements.close(this.#connection.writer, step.statement);
  }
}
