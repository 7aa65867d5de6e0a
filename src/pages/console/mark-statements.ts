/**
 * Marks the Console's own statements with a comment, so that the Queries page can tell them from the project's
 * statements, which run as the same roles. Statements that operators write on the SQL page aren't marked.
 */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type {
  Database,
  Pool,
  Queryable,
  Session,
  Transaction,
  TransactionOptions,
  TransactionWork,
  WholeTransaction,
} from '../../platform/database/types.ts';

/** The text of the comment. */
export const ownMark = 'plinth console';

const marked = (statement: Sql): Sql => sql`${statement} ${sql.raw(`/* ${ownMark} */`)}`;

/** Returns the database with pools that mark each statement. */
export function withMarkedStatements(database: Database): Database {
  return replacing(database, { pool: (role, client) => markedPool(database.pool(role, client)) });
}

const markedPool = (pool: Pool): Pool =>
  replacing(pool, {
    ...queries(pool),
    ...transactions(pool),
    statements: (statements, options) => pool.statements(statements.map(marked), options),
    rows: (statement, onRow, options) => pool.rows(marked(statement), onRow, options),
    connect: async () => markedSession(await pool.connect()),
  });

const markedSession = (session: Session): Session =>
  replacing(session, { ...queries(session), ...transactions(session) });

const queries = (inner: Queryable): Pick<Queryable, 'query' | 'queryText'> => ({
  query: (statement) => inner.query(marked(statement)),
  queryText: (statement) => inner.queryText(marked(statement)),
});

const transactions = (inner: Pick<Pool, 'transaction'>): Pick<Pool, 'transaction'> => ({
  transaction: <T>(work: TransactionWork<T>, { first, ...options }: TransactionOptions = {}) =>
    inner.transaction((tx, rows) => work(markedWhole(tx), rows), {
      ...options,
      ...(first === undefined ? {} : { first: first.map(marked) }),
    }),
});

const markedWhole = (tx: WholeTransaction): WholeTransaction =>
  replacing(tx, {
    ...queries(tx),
    ...savepoints(tx),
    finish: (statements) => tx.finish(statements.map(marked)),
  });

const savepoints = (tx: Transaction): Pick<Transaction, 'savepoint'> => ({
  savepoint: (work) =>
    tx.savepoint((inner) => work(replacing(inner, { ...queries(inner), ...savepoints(inner) }))),
});

/** Returns the object with some of its members replaced. The other methods still run on the object itself. */
function replacing<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
