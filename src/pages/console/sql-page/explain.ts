/**
 * Returns the plan for each statement in PostgreSQL's JSON format. With `analyze`, all statements run in a single
 * transaction, so that each statement sees the changes made by the previous ones. The transaction is always rolled
 * back.
 */

import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Database, Session } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import type { RawPlan, StatementPlan } from './contract.ts';
import { type Statement, verbOf } from './core/statements.ts';
import { errorEvent } from './run.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

const planVerbs = [
  'select',
  'with',
  'values',
  'table',
  'insert',
  'update',
  'delete',
  'merge',
  'declare',
  'execute',
];
const maxPlanBytes = 16 * 1024 * 1024;

export async function explain(
  database: Database,
  runnables: readonly Runnable[],
  options: {
    readonly identity: Identity;
    readonly isReadOnly: boolean;
    readonly analyze: boolean;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<StatementPlan[]> {
  const { identity, analyze, signal } = options;
  const prefix = `explain (format json${analyze ? ', analyze, buffers' : ''}) `;
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const stopCanceling = cancelOn(session, signal);
  const plans: StatementPlan[] = [];
  try {
    await begin(session, options, false);
    for (const runnable of runnables) {
      signal.throwIfAborted();
      plans.push(await planOf(session, runnable, prefix));
    }
    await session.exec('rollback');
  } finally {
    await stopCanceling();
    session.release();
  }
  return plans;
}

/**
 * Plans a statement. An error affects only the statement that caused it, because the transaction is then rolled back to
 * a savepoint.
 */
async function planOf(session: Session, runnable: Runnable, prefix: string): Promise<StatementPlan> {
  const { statement, text, parameters } = runnable;
  const place = { start: statement.start, end: statement.end };
  if (!hasPlan(statement)) return { ...place, plan: null, error: null };
  let printed = '';
  await session.exec('savepoint plinth_explain');
  try {
    await session.runCapped(prefix + text, {
      maxRows: 1,
      maxCellBytes: maxPlanBytes,
      parameters,
      columns() {},
      row([cell]) {
        printed = cell ?? '';
      },
    });
  } catch (error) {
    if (!isPostgresError(error)) throw error;
    await session.exec('rollback to savepoint plinth_explain');
    const { event: _event, ...fault } = errorEvent(error, runnable, prefix.length);
    return { ...place, plan: null, error: fault };
  }
  const [plan] = JSON.parse(printed) as RawPlan[];
  return { ...place, plan: plan ?? null, error: null };
}

/**
 * Whether PostgreSQL can explain the statement. The statements that PostgreSQL can explain include CREATE TABLE AS and
 * CREATE MATERIALIZED VIEW.
 */
function hasPlan(statement: Statement): boolean {
  const verb = verbOf(statement);
  if (planVerbs.includes(verb)) return true;
  const words = statement.tokens.map(({ kind, text }) => (kind === 'word' ? text : ''));
  return (
    verb === 'create' && words.includes('as') && (words.includes('table') || words[1] === 'materialized')
  );
}
