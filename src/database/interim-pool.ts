/** Interim: replaced by pool/ in a moment. */
import { sql, quoteLiteral } from '../kernel/sql.ts';
import type { LoginRole, Pool, Queryable, Session, Transaction, TransactionOptions } from './types.ts';
import { Client, type ConnectionOptions } from './wire/index.ts';

export function interimPool(role: LoginRole, target: ConnectionOptions): Pool & { end(): Promise<void> } {
  const idle: Client[] = [];
  const take = async () => {
    for (let c = idle.pop(); c; c = idle.pop()) if (!c.connection.ended) return c;
    return Client.connect(target);
  };
  const give = (c: Client) => {
    if (!c.connection.ended) idle.push(c);
  };
  const using = async <T>(work: (c: Client) => Promise<T>): Promise<T> => {
    const c = await take();
    try {
      return await work(c);
    } finally {
      give(c);
    }
  };
  return {
    role,
    query: (s) => using((c) => c.query(s)) as never,
    queryText: (s) => using((c) => c.queryText(s)),
    exec: (t) => using((c) => c.exec(t)),
    transaction: (work, options) => using((c) => transact(c, work, options)),
    async connect(): Promise<Session> {
      const c = await take();
      return {
        query: (s) => c.query(s) as never,
        queryText: (s) => c.queryText(s),
        exec: (t) => c.exec(t),
        transaction: (work, options) => transact(c, work, options),
        release: () => give(c),
        destroy: () => c.connection.destroy(),
        processId: c.processId,
      };
    },
    async end() {
      await Promise.all(idle.splice(0).map((c) => c.connection.close()));
    },
  };
}

async function transact<T>(c: Client, work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
  const isolation = options.isolation ? ` isolation level ${options.isolation}` : '';
  const set = (options.settings ?? []).map(([n, v]) => `select set_config(${quoteLiteral(n)}, ${quoteLiteral(v)}, true);`);
  await c.exec(`begin${isolation}${options.readOnly ? ' read only' : ''};${set.join('')}`);
  let depth = 0;
  const tx: Transaction = {
    query: (s) => c.query(s) as never,
    queryText: (s) => c.queryText(s),
    exec: (t) => c.exec(t),
    async savepoint(inner) {
      const name = `s${++depth}`;
      await c.exec(`savepoint ${name}`);
      try {
        const r = await inner(tx);
        await c.exec(`release ${name}`);
        return r;
      } catch (e) {
        await c.exec(`rollback to ${name}`);
        throw e;
      }
    },
  };
  try {
    const r = await work(tx);
    await c.exec(options.end === 'rollback' ? 'rollback' : 'commit');
    return r;
  } catch (e) {
    await c.exec('rollback').catch(() => {});
    throw e;
  }
}
void (null as unknown as Queryable);
void sql;
