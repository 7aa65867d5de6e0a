/**
 * Runs transactions on a connection to PostgreSQL without a server in between, for benchmarks. A transaction consists of
 * BEGIN, the role and the claims, the statement, and COMMIT, which are sent in one write. PostgreSQL's CPU time for these
 * transactions is the least that any server can need.
 */
import { type Sql, sql } from '../../src/base/kernel/sql.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import type { ServerFacts } from './server.ts';

export interface LimitJob {
  readonly sub: string;
  readonly statement: Sql;
}

/** Runs the jobs in turn until the time has elapsed, on several connections. Returns the number of transactions. */
export async function runLimit(
  { database: { host, port, name } }: ServerFacts,
  jobOf: (index: number) => LimitJob,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<number> {
  const options = {
    host,
    port,
    database: name,
    user: 'peer',
    password: 'postgres',
    sslMode: 'disable',
  } as const;
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.connect(options)));
  const end = performance.now() + seconds * 1000;
  let transactions = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const { sub, statement } = jobOf(transactions++);
        const claims = JSON.stringify({ sub, role: 'authenticated' });
        await client.batch([
          sql`begin`,
          sql`select from (select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true),
                set_config('request.jwt.claim.sub', ${sub}, true)) settings`,
          statement,
          sql`commit`,
        ]);
      }
    }),
  );
  await Promise.all(clients.map((client) => client.connection.close()));
  return transactions;
}
