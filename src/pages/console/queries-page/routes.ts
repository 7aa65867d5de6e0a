/** The routes for the Queries page, which shows slow statements, their plans, advice, and running statements. */

import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, Call } from '../routes/api.ts';
import type { Advice } from './contract.ts';
import { filteredScans, indexFor } from './core/index-for.ts';
import { outlineOf, redactLiterals } from './core/outline.ts';
import { hasPlan, planOf } from './plan.ts';
import * as queries from './queries.ts';

/**
 * Whether literals must be hidden from the operator. PostgreSQL replaces literals with `$1` in the recorded text of
 * most statements, but not in running statements and commands. The remaining literals can be passwords.
 */
const isRedacted = ({ operator }: Call): boolean => !may(operator.role, 'secrets');

/** The maximum fraction of a table's rows that a condition may select for an index to be clearly useful. */
const maxKeptShare = 0.05;

export interface QueryDeps {
  readonly database: Database;
  readonly audit: Audit;
}

export function queryRoutes(api: Api, { database, audit }: QueryDeps): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  const shown = (call: Call, text: string): string => (isRedacted(call) ? redactLiterals(text) : text);

  async function found(key: { readonly id: string; readonly role: string }) {
    const statement = (await queries.hasStatistics(db)) ? await queries.findStatement(db, key) : undefined;
    if (statement === undefined)
      throw new ConsoleError('not_found', {
        message: 'The statistics no longer contain this statement.',
      });
    return statement;
  }

  route('GET /queries', 'read', async (call) => {
    const filter = await call.query();
    const redacted = isRedacted(call);
    if (!(await queries.hasStatistics(db)))
      return { isAvailable: false, since: null, roles: [], statements: [], isRedacted: redacted };
    const [since, roles, statements] = await Promise.all([
      queries.resetTime(db),
      queries.statementRoles(db),
      // If literals are hidden, only the visible text is searched, because a search of the complete text would reveal
      // the literals.
      queries.listStatements(db, redacted ? { ...filter, search: undefined } : filter),
    ]);
    const search = redacted ? (filter.search ?? '').toLowerCase() : '';
    return {
      isAvailable: true,
      since,
      roles,
      statements: statements
        .map(({ head, ...statement }) => ({
          ...statement,
          text: shown(call, statement.text),
          outline: outlineOf(shown(call, head)),
        }))
        .filter(({ text }) => text.toLowerCase().includes(search)),
      isRedacted: redacted,
    };
  });
  route('GET /queries/statement', 'read', async (call) => {
    const statement = await found(await call.query());
    return { ...statement, text: shown(call, statement.text), hasPlan: hasPlan(statement.text) };
  });
  // Requires the `write` permission, because planning can call the project's functions and a plan contains literals.
  route('GET /queries/plan', 'write', async (call) => {
    const { plan, role } = await planOf(database, await found(await call.query()));
    return { plan, role, advice: await scanAdvice(plan) };
  });
  route('POST /queries/reset', 'write', async (call) => {
    if (!(await queries.hasStatistics(db))) throw new ConsoleError('refused');
    await queries.resetStatistics(db);
    await audit(call, 'statistics.reset', 'pg_stat_statements');
  });
  route('GET /queries/activity', 'read', async (call) => ({
    sessions: (await queries.listActivity(db)).map((session) => {
      const text = shown(call, session.text);
      return { ...session, text, outline: outlineOf(text) };
    }),
    isRedacted: isRedacted(call),
  }));
  for (const signal of ['cancel', 'terminate'] as const)
    route(`POST /queries/activity/${signal}`, 'write', async (call) => {
      const session = await call.body();
      if (!(await queries.signalSession(db, signal, session)))
        throw new ConsoleError('refused', { message: 'This session has already ended.' });
      await audit(call, `session.${signal}`, String(session.pid));
    });

  async function scanAdvice(plan: unknown): Promise<Advice[]> {
    const scans = filteredScans(plan);
    const big = await queries.bigTables(db, scans);
    return scans.flatMap(({ schema, table, filter, kept }): Advice[] => {
      const found = big.get(`${schema}.${table}`);
      // If many rows satisfy the condition, reading the whole table is as fast as using an index.
      if (found === undefined || kept > found.rows * maxKeptShare) return [];
      const columns = indexFor(filter, found);
      if (columns === undefined) return [];
      const index = `create index on ${quoteIdentifier(schema)}.${quoteIdentifier(table)} (${columns.map(quoteIdentifier).join(', ')});`;
      return [{ schema, table, rows: found.rows, kept, filter, index }];
    });
  }
}
