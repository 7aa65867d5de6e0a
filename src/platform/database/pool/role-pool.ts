/** The connection pool of one login role. */
import type { Sql } from '../../../base/kernel/sql.ts';
import type {
  CappedEnd,
  CappedRows,
  LoginRole,
  Pool,
  RawRow,
  RequestClient,
  Row,
  Session,
  StatementsOptions,
  TextResult,
  TransactionOptions,
  TransactionWork,
} from '../types.ts';
import { type Client, ConnectionError, runCapped } from '../wire/index.ts';
import type { Connections } from './connections.ts';
import { runRows, runStatements, runTransaction } from './transaction.ts';

interface PoolConnections {
  readonly connections: Connections;
  /** The connections for sessions. They differ from `connections` only if those lead to a pooler. */
  readonly sessions: Connections;
}

export class RolePool implements Pool {
  readonly role: LoginRole;
  readonly #all: PoolConnections;
  readonly #connections: Connections;
  readonly #caller: RequestClient | undefined;

  constructor(role: LoginRole, all: PoolConnections, caller?: RequestClient) {
    this.role = role;
    this.#all = all;
    this.#connections = all.connections;
    this.#caller = caller;
  }

  /** Returns an object through which one client uses the same pool. Different clients' statements take turns. */
  of(caller: RequestClient | undefined): RolePool {
    return caller === undefined ? this : new RolePool(this.role, this.#all, caller);
  }

  query<R extends object = Row>(statement: Sql): Promise<R[]> {
    return this.#lend((client) => client.query<R>(statement));
  }

  queryText(statement: Sql): Promise<TextResult> {
    return this.#lend((client) => client.queryText(statement));
  }

  exec(text: string): Promise<void> {
    return this.#lend((client) => client.exec(text));
  }

  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T> {
    let begun = false;
    const once: TransactionWork<T> = (tx, rows) => {
      begun = true;
      return work(tx, rows);
    };
    return this.#lend(
      (client) => runTransaction(client, once, options),
      () => !begun,
    );
  }

  statements(statements: readonly Sql[], options?: StatementsOptions): Promise<(readonly object[])[]> {
    return this.#lend((client) => runStatements(client, statements, options));
  }

  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void> {
    // Repeats the statement on another connection only if the statement hasn't returned any rows yet.
    return this.#lend((client) => runRows(client, statement, onRow, options));
  }

  async connect(): Promise<Session> {
    const { sessions } = this.#all;
    const client = await sessions.acquire(this.#caller);
    sessions.exempt(client);
    return new PooledSession(client, sessions);
  }

  /**
   * Runs `work` on a connection. If the connection closes before the server has processed anything, retries once on
   * another connection.
   */
  async #lend<T>(work: (client: Client) => Promise<T>, mayRepeat = () => true): Promise<T> {
    try {
      return await this.#borrow(work);
    } catch (error) {
      const repeatable = error instanceof ConnectionError && error.untouched && error.code !== '08001';
      if (!repeatable || !mayRepeat()) throw error;
      // Discards idle connections, because the event that closed this connection has probably closed the idle
      // connections too.
      this.#connections.discardIdle();
      return await this.#borrow(work);
    }
  }

  async #borrow<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#connections.acquire(this.#caller);
    try {
      return await work(client);
    } finally {
      this.#connections.release(client);
    }
  }
}

class PooledSession implements Session {
  readonly processId: number;
  readonly #client: Client;
  readonly #connections: Connections;
  #released = false;

  constructor(client: Client, connections: Connections) {
    this.processId = client.processId;
    this.#client = client;
    this.#connections = connections;
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

  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T> {
    return runTransaction(this.#use(), work, options);
  }

  async reset(): Promise<void> {
    const client = this.#use();
    await discardState(client);
    client.nameStatements(false);
  }

  runCapped(text: string, rows: CappedRows): Promise<CappedEnd> {
    return runCapped(this.#use().connection, text, rows);
  }

  cancel(): Promise<void> {
    return this.#use().connection.cancel();
  }

  onNotice(listener: Parameters<Session['onNotice']>[0]): void {
    const { connection } = this.#use();
    connection.onNotice = (notice) => listener(notice, connection);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#client.connection.onNotice = this.#client.connection.options.onNotice;
    const client = this.#client;
    const reset = async () => {
      await discardState(client);
      client.nameStatements(true);
    };
    reset().then(
      () => this.#connections.release(client),
      () => this.#connections.discard(client),
    );
  }

  destroy(): void {
    if (this.#released) return;
    this.#released = true;
    this.#connections.discard(this.#client);
  }

  #use(): Client {
    if (this.#released) throw new Error('The session was already returned to the pool.');
    return this.#client;
  }
}

async function discardState(client: Client): Promise<void> {
  if (!client.connection.idle && !client.connection.ended) await client.exec('rollback');
  await client.exec('discard all');
}
