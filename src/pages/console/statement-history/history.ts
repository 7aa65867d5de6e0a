/**
 * The history of statements (docs/decisions/0132-statement-history.md).
 *
 * Glossary. *Entry*: a statement in pg_stat_statements, which counts since it was created. *Reading*: all entries at one
 * time. *Sample*: the calls of a statement in a minute, which is the difference of two readings. *Mark*: an event on the
 * charts. *Split*: the time of a change before and after which statements are compared.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { cached } from '../../../base/shared/cached.ts';
import type { Database, Pool } from '../../../platform/database/types.ts';
import { hasStatistics } from '../queries-page/queries.ts';
import type {
  HistoryMark,
  HistoryPeriod,
  HistoryRange,
  HistorySums,
  StatementHistory,
  StatementSeries,
} from './contract.ts';
import { isCostly, isSlower } from './core/findings.ts';
import { type Period, periodOf } from './core/period.ts';
import { quantilesOf } from './core/quantiles.ts';
import { added, meanOf, type Totals } from './core/totals.ts';
import * as queries from './queries.ts';
import { createSampler } from './sampler.ts';

/** A statement that has become slower or is new, for the home page. */
export interface HistoryFinding {
  readonly kind: 'slower' | 'new';
  readonly id: string;
  readonly role: string;
  /** Null if the statement is new. */
  readonly beforeMs: number | null;
  readonly meanMs: number;
  readonly calls: number;
}

type ListedStatement = Omit<StatementHistory['statements'][number], 'outline'>;
/** The history without the texts' outlines, which depend on the operator's role. */
export type RawHistory = Omit<StatementHistory, 'isRedacted' | 'statements'> & {
  readonly statements: readonly ListedStatement[];
};

export interface HistoryFilter {
  readonly range: HistoryRange;
  readonly role?: string | undefined;
  readonly services: boolean;
  readonly split?: number | undefined;
}

export interface History {
  /** Starts taking samples. */
  start(): void;
  stop(): Promise<void>;
  list(filter: HistoryFilter): Promise<RawHistory>;
  statement(key: {
    readonly id: string;
    readonly role: string;
    readonly range: HistoryRange;
  }): Promise<StatementSeries>;
  /** Returns the events since a time, oldest first. */
  marks(since: number): Promise<readonly HistoryMark[]>;
  /** Returns the statements of the last hour that are worth a notice, with the greatest loss first. */
  findings(): Promise<readonly HistoryFinding[]>;
}

export interface HistoryDeps {
  readonly database: Database;
  /** A pool of the superuser, which can write to `_plinth`. */
  readonly db: Pool;
  /** Whether other nodes use the same database. */
  readonly isShared: boolean;
  /** When this process started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Logger;
}

/** How long findings are cached. Computing them reads the samples of a day. */
const findingsMs = 60_000;
const maxFindings = 3;

export function createHistory(deps: HistoryDeps): History {
  const { database, db, now } = deps;
  const { ownsSchemas, embedded } = database.info;
  const pool = database.pool('postgres');
  const sampler = createSampler({ ...deps, pool, isEmbedded: embedded });

  /** Returns the period with its marks. */
  const shownPeriod = async ({ start, stepMs, steps }: Period): Promise<HistoryPeriod> => ({
    ...{ start, stepMs, steps },
    marks: ownsSchemas ? await queries.marksSince(db, start) : [],
  });

  async function stateOf(): Promise<StatementHistory['state']> {
    if (!ownsSchemas) return 'hosted';
    return (await hasStatistics(pool)) ? 'on' : 'off';
  }

  return {
    start() {
      if (ownsSchemas) sampler.start();
    },
    stop: () => sampler.stop(),
    async list({ range, split, ...filter }) {
      const period = periodOf(range, now());
      const state = await stateOf();
      if (state !== 'on')
        return { state, since: null, period: await shownPeriod(period), roles: [], statements: [] };
      await sampler.refresh();
      const [since, shown, steps, parts] = await Promise.all([
        queries.historyStart(db),
        shownPeriod(period),
        queries.roleSteps(db, period, filter),
        queries.statementParts(db, period, { ...filter, split: split ?? period.start }),
      ]);
      return {
        ...{ state, since, period: shown },
        roles: rolesOf(steps, period.steps),
        statements: statementsOf(parts, split !== undefined),
      };
    },
    async statement({ range, ...key }) {
      const period = periodOf(range, now());
      const shown = await shownPeriod(period);
      const empty = Array.from({ length: period.steps }, () => null);
      if ((await stateOf()) !== 'on') return { period: shown, points: empty, total: null };
      await sampler.refresh();
      const rows = await queries.statementSteps(db, period, key);
      const points: (HistorySums | null)[] = empty;
      for (const row of rows) if (row.step < points.length) points[row.step] = sumsOf(row);
      const [first, ...rest] = rows as readonly Totals[];
      const total = first === undefined ? null : sumsOf(rest.reduce(added, first));
      return { period: shown, points, total };
    },
    marks: async (since) => (ownsSchemas ? queries.marksSince(db, since) : []),
    findings: cached(findingsMs, async () => {
      if ((await stateOf()) !== 'on') return [];
      return findingsOf(await queries.lastHour(db, now()));
    }),
  };
}

export function sumsOf(totals: Totals): HistorySums {
  const { calls, rows, totalMs } = totals;
  const quantiles = quantilesOf(totals);
  return {
    ...{ calls, rows, totalMs },
    meanMs: meanOf(totals),
    p50Ms: quantiles?.p50Ms ?? null,
    p95Ms: quantiles?.p95Ms ?? null,
  };
}

/** Returns each role's total time in each step, with the most expensive role first. */
function rolesOf(found: readonly queries.RoleStep[], steps: number): StatementHistory['roles'] {
  const roles = new Map<string, number[]>();
  for (const { role, step, totalMs } of found) {
    const values = roles.get(role) ?? Array.from({ length: steps }, () => 0);
    roles.set(role, values);
    if (step < steps) values[step] = totalMs;
  }
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return [...roles]
    .map(([role, totalMs]) => ({ role, totalMs }))
    .sort((one, other) => sum(other.totalMs) - sum(one.totalMs));
}

/** Combines the parts of each statement before and after the split. */
function statementsOf(parts: readonly queries.PartRow[], isSplit: boolean): ListedStatement[] {
  const statements = new Map<string, { before?: queries.PartRow; after?: queries.PartRow }>();
  for (const part of parts) {
    const key = `${part.id} ${part.role}`;
    statements.set(key, { ...statements.get(key), [part.isAfter ? 'after' : 'before']: part });
  }
  return [...statements.values()].flatMap(({ before, after }) => {
    const part = after ?? before;
    if (part === undefined) return [];
    const all = before !== undefined && after !== undefined ? added(before, after) : part;
    const { id, role, text, firstSeenAt } = part;
    return {
      ...{ id, role, text, firstSeenAt, ...sumsOf(all) },
      before: isSplit && before !== undefined ? sumsOf(before) : null,
      after: isSplit && after !== undefined ? sumsOf(after) : null,
    };
  });
}

function findingsOf(statements: readonly queries.ComparedStatement[]): HistoryFinding[] {
  const allMs = statements.reduce((sum, { after }) => sum + after.totalMs, 0);
  return statements
    .flatMap(({ id, role, isNew, before, after }) => {
      const shown = { id, role, meanMs: meanOf(after), calls: after.calls };
      if (before !== null && isSlower(before, after)) {
        const beforeMs = meanOf(before);
        const lostMs = (shown.meanMs - beforeMs) * after.calls;
        return { lostMs, finding: { kind: 'slower', beforeMs, ...shown } as const };
      }
      if (!isNew || !isCostly(after.totalMs, allMs)) return [];
      return { lostMs: after.totalMs, finding: { kind: 'new', beforeMs: null, ...shown } as const };
    })
    .sort((one, other) => other.lostMs - one.lostMs)
    .slice(0, maxFindings)
    .map(({ finding }) => finding);
}
