/** Transactions and savepoints on one connection. */
import type { Sql } from '../../kernel/sql.ts';
import type { Row, Setting, TextResult, Transaction, TransactionOptions } from '../types.ts';
import { type Client, PostgresError, runScript } from '../wire/index.ts';

const CANCEL_AGAIN_MS = 250;

type Work<T> = (tx: Transaction) => Promise<T>;

/** Runs `work` between BEGIN and COMMIT, or ROLLBACK when it throws. */
export async function runTransaction<T>(
  client: Client,
  work: Work<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { signal } = options;
  signal?.throwIfAborted();
  let cancelled: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;
  const cancel = () => {
    cancelled = client.connection.cancel().catch(() => {});
    // One that arrives before the statement has begun is lost.
    again = setTimeout(cancel, CANCEL_AGAIN_MS);
  };
  try {
    // Before anything else may begin, so that a failed BEGIN leaves nothing running outside a transaction.
    await client.batch([{ text: beginText(options), values: [] }, ...setLocal(options.settings ?? [])]);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', cancel, { once: true });
    const scope = new Scope(client);
    try {
      const result = await work(scope);
      signal?.throwIfAborted();
      signal?.removeEventListener('abort', cancel);
      await finish(client, options.end ?? 'commit');
      return result;
    } finally {
      scope.close();
    }
  } catch (error) {
    clearTimeout(again);
    // A cancel request that is still under way could hit whatever comes next on this connection.
    await cancelled;
    if (!client.connection.ended && !client.connection.idle) await client.exec('rollback').catch(() => {});
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(again);
  }
}

/** PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error; silence would be a lost write. */
async function finish(client: Client, end: 'commit' | 'rollback'): Promise<void> {
  const [result] = await runScript(client.connection, end);
  if (end === 'rollback' || result?.commandTag === 'COMMIT') return;
  const message =
    'The transaction was rolled back: a statement in it had failed, and its error was not thrown on.';
  throw new PostgresError({ code: '25P02', severity: 'ERROR', message });
}

function beginText({ isolation, readOnly }: TransactionOptions): string {
  let text = 'begin';
  if (isolation !== undefined) text += ` isolation level ${isolation}`;
  if (readOnly !== undefined) text += readOnly ? ' read only' : ' read write';
  return text;
}

/** All settings in one statement; the target list is evaluated from left to right. */
function setLocal(settings: readonly Setting[]): { text: string; values: string[] }[] {
  if (settings.length === 0) return [];
  const calls = settings.map((_, index) => `set_config($${index * 2 + 1}, $${index * 2 + 2}, true)`);
  return [{ text: `select ${calls.join(', ')}`, values: settings.flat() }];
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
    return this.#use().query<R>(statement);
  }

  queryText(statement: Sql): Promise<TextResult> {
    return this.#use().queryText(statement);
  }

  exec(text: string): Promise<void> {
    return this.#use().exec(text);
  }

  async savepoint<T>(work: Work<T>): Promise<T> {
    const client = this.#use();
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

  /** From now on a statement would run on a connection that belongs to somebody else. */
  close(): void {
    this.#open = false;
  }

  #use(): Client {
    if (!this.#open) throw new Error('The transaction is over: await everything that is started in it.');
    return this.#client;
  }
}
