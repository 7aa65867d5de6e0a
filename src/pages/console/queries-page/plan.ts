/**
 * Plans a statement from pg_stat_statements without running it. The statement can come from any role that can run SQL,
 * and its text contains placeholders such as `$1` instead of values. Therefore:
 *
 * - The text of the statement is appended to PREPARE rather than to EXPLAIN. PostgreSQL's grammar allows only a query
 *   or a data change after PREPARE, and the extended protocol rejects text that contains several statements. EXPLAIN
 *   EXECUTE then shows the generic plan, which doesn't depend on parameter values.
 * - Planning can call the project's functions, for example to estimate how many rows satisfy a condition. Such
 *   functions run as the role that ran the statement, or as `postgres`, but never as a superuser, in a read-only
 *   transaction that is rolled back.
 * - Planning takes locks, so the wait for each lock and the duration of planning are limited.
 */

import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import type { Database, Session } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import { defaultSearchPath } from '../persona/act.ts';
import type { RawPlan } from '../sql-page/contract.ts';
import { splitStatements, verbOf } from '../sql-page/core/statements.ts';
import { cancelOn } from '../sql-page/session.ts';
import type { StatementDetails } from './contract.ts';

const plannedVerbs = ['select', 'with', 'insert', 'update', 'delete', 'merge', 'values', 'table'];
const timeoutMs = 2000;
const lockTimeoutMs = 500;
const graceMs = 1000;

/** Whether the text is a single query or data change. */
export function hasPlan(text: string): boolean {
  const statements = splitStatements(text);
  const [only] = statements;
  return only !== undefined && statements.length === 1 && plannedVerbs.includes(verbOf(only));
}

/** The database roles that REST requests use. The sessions for these requests log in as `authenticator`. */
const requestRoles = ['anon', 'authenticated', 'service_role'];

export interface Planned {
  readonly plan: RawPlan;
  readonly role: string;
}

/** Plans a statement. @throws {ConsoleError} bad_request if the statement can't be planned */
export async function planOf(
  database: Database,
  { text, role }: Pick<StatementDetails, 'text' | 'role'>,
): Promise<Planned> {
  if (!hasPlan(text))
    throw new ConsoleError('bad_request', { message: "This statement doesn't have a plan." });
  const isRequest = requestRoles.includes(role);
  const session = await database.pool(isRequest ? 'authenticator' : 'postgres').connect();
  const stopCanceling = cancelOn(session, AbortSignal.timeout(timeoutMs + graceMs));
  try {
    return await session.transaction((tx) => explain(tx, text, isRequest ? role : 'postgres'), {
      readOnly: true,
      end: 'rollback',
      settings: [
        ['statement_timeout', String(timeoutMs)],
        ['lock_timeout', String(lockTimeoutMs)],
        ['plan_cache_mode', 'force_generic_plan'],
        ['search_path', defaultSearchPath.map(quoteIdentifier).join(', ')],
        ...(isRequest ? ([['role', role]] as const) : []),
      ],
    });
  } finally {
    await stopCanceling();
    // A prepared statement exists until the session ends, so the session isn't reused.
    session.destroy();
  }
}

async function explain(
  tx: Pick<Session, 'query' | 'queryText'>,
  text: string,
  role: string,
): Promise<Planned> {
  await tx.query(sql`${sql.raw(`prepare plinth_plan as ${text}`)}`);
  const [prepared] = await tx.query<{ count: number }>(sql`
    select coalesce(pg_catalog.array_length(p.parameter_types, 1), 0) as count
    from pg_catalog.pg_prepared_statements p where p.name = 'plinth_plan'`);
  const values = Array.from({ length: prepared?.count ?? 0 }, () => 'null').join(', ');
  const call = `explain (format json, verbose) execute plinth_plan${values === '' ? '' : `(${values})`}`;
  const { rows } = await tx.queryText(sql`${sql.raw(call)}`);
  const [plan] = JSON.parse(rows[0]?.[0] ?? '[]') as RawPlan[];
  if (plan === undefined)
    throw new ConsoleError('bad_request', { message: "This statement doesn't have a plan." });
  return { plan, role };
}
