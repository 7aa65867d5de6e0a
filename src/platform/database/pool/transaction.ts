/** Runs transactions and savepoints on one connection. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { localStatements } from '../path/local-settings.ts';
import type {
  RawRow,
  Row,
  Setting,
  StatementsOptions,
  TextResult,
  Transaction,
  TransactionOptions,
  TransactionWork,
  WholeTransaction,
} from '../types.ts';
import { type Client, PostgresError, runScript } from '../wire/index.ts';

const CANCEL_AGAIN_MS = 250;

/** Runs `work` in a transaction. Commits the transaction if `work` succeeds, and rolls it back if `work` throws. */
export async function runTransaction<T>(
  client: Client,
  work: TransactionWork<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { signal } = options;
  signal?.throwIfAborted();
  let canceled: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;
  const cancel = () => {
    canceled = client.connection.cancel().catch(() => {});
    // Repeats the cancel request, because a request that arrives before the statement has started has no effect.
    again = setTimeout(cancel, CANCEL_AGAIN_MS);
  };
  try {
    // Waits for BEGIN first, so that no statement runs outside a transaction if BEGIN fails.
    const first = options.first ?? [];
    const transaction = await client.batch([begin(options), ...setLocal(client, options), ...first]);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', cancel, { once: true });
    const end = options.end ?? 'commit';
    const scope = new WholeScope(client, end);
    try {
      const result = await work(
        scope,
        transaction.slice(transaction.length - first.length).map((step) => step.rows),
      );
      signal?.throwIfAborted();
      signal?.removeEventListener('abort', cancel);
      if (!scope.finished) requireEnd(end, (await runScript(client.connection, end))[0]?.commandTag);
      return result;
    } finally {
      scope.close();
    }
  } catch (error) {
    clearTimeout(again);
    // Waits until the cancel request has been processed before the connection is used again, because the request could
    // otherwise cancel the next statement.
    await canceled;
    if (!client.connection.ended && !client.connection.idle) await client.exec('rollback').catch(() => {});
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(again);
  }
}

/**
 * Sends BEGIN, the settings, the statements and COMMIT or ROLLBACK in one write, so that they need a single round trip.
 * Returns the rows of each statement.
 */
export async function runStatements(
  client: Client,
  statements: readonly Sql[],
  options: StatementsOptions = {},
): Promise<(readonly object[])[]> {
  const steps = await wrapped(client, statements, options, (all) => client.batch(all));
  return steps.slice(-1 - statements.length, -1).map((step) => step.rows);
}

/** Runs one statement like {@link runStatements}, and passes each row to the callback as the row arrives. */
export async function runRows(
  client: Client,
  statement: Sql,
  onRow: (row: RawRow) => void,
  options: StatementsOptions = {},
): Promise<void> {
  await wrapped(client, [statement], options, (all) => client.batchRows(all, all.length - 2, onRow));
}

async function wrapped<S extends { readonly commandTag: string }>(
  client: Client,
  statements: readonly Sql[],
  options: StatementsOptions,
  send: (all: readonly Sql[]) => Promise<readonly S[]>,
): Promise<readonly S[]> {
  const end = options.end ?? 'commit';
  try {
    const all = [begin(options), ...setLocal(client, options), ...statements, sql.raw(end)];
    const steps = await send(all);
    requireEnd(end, steps.at(-1)?.commandTag);
    return steps;
  } catch (error) {
    if (!client.connection.ended && !client.connection.idle) await client.exec('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Throws an error unless the transaction ended as requested. In a failed transaction, PostgreSQL responds to COMMIT
 * with ROLLBACK instead of an error, and if this response were ignored, a write would be lost without notice.
 */
function requireEnd(end: 'commit' | 'rollback', commandTag: string | undefined): void {
  if (end === 'rollback' || commandTag === 'COMMIT') return;
  const message =
    "The transaction was rolled back, because a statement in it had failed and its error wasn't rethrown.";
  throw new PostgresError({ code: '25P02', severity: 'ERROR', message });
}

function begin({ isolation, readOnly }: TransactionOptions): Sql {
  let text = 'begin';
  if (isolation !== undefined) text += ` isolation level ${isolation}`;
  if (readOnly !== undefined) text += readOnly ? ' read only' : ' read write';
  return sql.raw(text);
}

/**
 * Returns one statement that applies all settings. The target list is evaluated from left to right, so the settings are
 * applied in order. A server that passes settings on gets a SET LOCAL statement for each of them.
 */
function setLocal(
  client: Client,
  { settings = [] }: { readonly settings?: readonly Setting[] | undefined },
): Sql[] {
  if (settings.length === 0) return [];
  if (client.connection.options.passesSettingsOn === true)
    return localStatements(settings).map((text) => sql.raw(text));
  const calls = settings.map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
  return [sql`select ${sql.join(calls)}`];
}

class Scope implements Transaction {
  readonly #client: Client;
  readonly #depth: number;
  #open = true;

  constructor(client: Client, depth = 0) {
    this.#client = client;
    this.#depth = depth;
  }

  query<R extends object = Row>(statement: Sql): Promise<R[]> {
    return this.use().query<R>(statement);
  }

  queryText(statement: Sql): Promise<TextResult> {
    return this.use().queryText(statement);
  }

  exec(text: string): Promise<void> {
    return this.use().exec(text);
  }

  async savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = this.use();
    const name = `plinth_${this.#depth + 1}`;
    const inner = new Scope(client, this.#depth + 1);
    await client.exec(`savepoint ${name}`);
    try {
      const result = await work(inner);
      await client.exec(`release savepoint ${name}`);
      return result;
    } catch (error) {
      if (!client.connection.ended)
        await client.exec(`rollback to savepoint ${name}; release savepoint ${name}`);
      throw error;
    } finally {
      inner.close();
    }
  }

  /** Rejects later statements, because the connection may already belong to another caller. */
  close(): void {
    this.#open = false;
  }

  protected use(): Client {
    if (!this.#open)
      throw new Error(
        "The transaction has already ended. Await all statements before the transaction's callback returns.",
      );
    return this.#client;
  }
}

class WholeScope extends Scope implements WholeTransaction {
  readonly #end: 'commit' | 'rollback';
  finished = false;

  constructor(client: Client, end: 'commit' | 'rollback') {
    super(client);
    this.#end = end;
  }

  async finish(statements: readonly Sql[]): Promise<void> {
    const client = this.use();
    this.close();
    const steps = await client.batch([...statements, sql.raw(this.#end)]);
    requireEnd(this.#end, steps.at(-1)?.commandTag);
    this.finished = true;
  }
}
