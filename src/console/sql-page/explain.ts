/**
 * Returns the plan of a statement in PostgreSQL's JSON format. If `analyze` is set, the statement runs and is rolled
 * back.
 */
import type { Database } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import { ConsoleError } from '../errors.ts';
import { asIdentity, type Identity } from '../persona/act.ts';
import type { RawPlan } from './contract.ts';
import type { Statement } from './core/statements.ts';
import { readOnlyQuery } from './read-only.ts';

export async function explain(
  database: Database,
  statement: Statement,
  options: {
    readonly identity: Identity;
    readonly isReadOnly: boolean;
    /** Whether to run the statement, in a transaction that is then rolled back. */
    readonly analyze: boolean;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<RawPlan> {
  const { identity, isReadOnly, analyze, timeoutMs, signal } = options;
  const text = isReadOnly ? await readOnlyQuery(database, statement) : statement.text;
  const start = `explain (format json${analyze ? ', analyze, buffers' : ''}) `;
  const rows = await asIdentity(
    database,
    identity,
    async (tx) => (await tx.queryText(sql`${sql.raw(start + text)}`)).rows,
    {
      end: 'rollback',
      readOnly: isReadOnly,
      settings: [['statement_timeout', String(timeoutMs)]],
      signal,
    },
  );
  const [plan] = JSON.parse(rows[0]?.[0] ?? '[]') as RawPlan[];
  if (plan === undefined)
    throw new ConsoleError('bad_request', { message: "This statement doesn't have a query plan." });
  return plan;
}
