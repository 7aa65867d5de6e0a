/**
 * Caches the prepared statements of one connection. If the cache is full, the least recently used statement is closed.
 */
import { randomBytes } from 'node:crypto';
import type { ConnectionOptions } from './exchange.ts';
import type { MessageWriter } from './messages/message-writer.ts';
import type { Column } from './messages/messages.ts';

export interface PreparedStatement {
  readonly key: string;
  /** The name of the statement on the server. */
  readonly name: string;
  readonly text: string;
  /**
   * The result columns. The columns are undefined until the server has described the statement. The list is empty if
   * the statement doesn't return rows.
   */
  columns: readonly Column[] | undefined;
  parameterTypes: readonly number[] | undefined;
  /** Data that a row reader computes from the columns, once per statement. */
  derived: unknown;
}

export class StatementCache {
  readonly #limit: number;
  readonly #statements = new Map<string, PreparedStatement>();
  readonly #prefix: string;
  #counter = 0;

  /** `prefix` is the beginning of the statements' names. */
  constructor(limit: number, prefix = 's') {
    this.#limit = limit;
    this.#prefix = prefix;
  }

  /**
   * Creates the cache of a connection. A pooler that doesn't track prepared statements passes a name to any session, where
   * another connection may have prepared a different statement with that name. The names behind a pooler are therefore
   * unique, so that such a name results in an error.
   */
  static of({ namedStatements, isPooled }: ConnectionOptions, limit: number): StatementCache {
    if (namedStatements === false) return new StatementCache(0);
    return isPooled === true ? new StatementCache(limit, uniquePrefix()) : new StatementCache(limit);
  }

  get(key: string): PreparedStatement | undefined {
    const statement = this.#statements.get(key);
    if (statement === undefined) return undefined;
    // A Map keeps its insertion order, so moving the entry to the end keeps the least recently used statement first.
    this.#statements.delete(key);
    this.#statements.set(key, statement);
    return statement;
  }

  /**
   * Prepares a statement by writing Parse and Describe. If the cache is full, first evicts the least recently used
   * statement by writing Close. If the limit is 0, statements don't get names and aren't cached. Without names, each
   * transaction can run in a different session, as happens behind a pooler in transaction mode.
   */
  prepare(writer: MessageWriter, key: string, text: string): PreparedStatement {
    const oldest = this.#statements.size >= this.#limit ? this.#statements.values().next().value : undefined;
    if (oldest !== undefined) this.close(writer, oldest);
    const statement: PreparedStatement = {
      key,
      name: this.#limit === 0 ? '' : `${this.#prefix}${++this.#counter}`,
      text,
      columns: undefined,
      parameterTypes: undefined,
      derived: undefined,
    };
    writer.parse(statement.name, text);
    writer.describeStatement(statement.name);
    if (this.#limit > 0) this.#statements.set(key, statement);
    return statement;
  }

  /** Closes a statement by writing Close. Closing a statement that doesn't exist isn't an error. */
  close(writer: MessageWriter, statement: PreparedStatement): void {
    this.forget(statement);
    writer.closeStatement(statement.name);
  }

  /**
   * Removes a statement that doesn't exist on the server, either because preparing it failed or because it was
   * deallocated.
   */
  forget(statement: PreparedStatement): void {
    if (this.#statements.get(statement.key) === statement) this.#statements.delete(statement.key);
  }

  clearIfHolding(statement: PreparedStatement): void {
    if (this.#statements.get(statement.key) === statement) this.clear();
  }

  clear(): void {
    this.#statements.clear();
  }
}

const uniquePrefix = (): string => `p${randomBytes(9).toString('base64url')}_`;
