/** Reads the history of statements from Plinth's own tables. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { serviceRoles } from '../queries-page/queries.ts';
import type { HistoryMark } from './contract.ts';
import type { Period } from './core/period.ts';
import type { Totals } from './core/totals.ts';

export const maxStatements = 100;
const maxMarks = 100;

const timeOf = (ms: number): Sql => sql`pg_catalog.to_timestamp(${ms / 1000}::float8)`;

/** The samples of a period. Hours that haven't been added up yet are read as minutes. */
const samplesOf = ({ start, isHourly }: Pick<Period, 'start' | 'isHourly'>): Sql =>
  isHourly
    ? sql`(
        select * from _plinth.history_samples where step = 'hour' and at >= ${timeOf(start)}
        union all
        select * from _plinth.history_samples where step = 'minute' and at >= greatest(${timeOf(start)},
          (select pg_catalog.max(at) + interval '1 hour' from _plinth.history_samples where step = 'hour')))`
    : sql`(select * from _plinth.history_samples where step = 'minute' and at >= ${timeOf(start)})`;

/** The sums of several samples (the formula is that of `added` in `core/totals.ts`). */
const sums = sql`
  pg_catalog.sum(s.calls) as calls, pg_catalog.sum(s.rows) as rows, pg_catalog.sum(s.total_ms) as "totalMs",
  case when pg_catalog.bool_and(s.squares is not null) then greatest(0, pg_catalog.sum(s.squares)
    + pg_catalog.sum(s.total_ms * s.total_ms / s.calls)
    - pg_catalog.sum(s.total_ms) * pg_catalog.sum(s.total_ms) / pg_catalog.sum(s.calls)) end as squares`;

export interface StatementFilter {
  readonly role?: string | undefined;
  readonly services: boolean;
}

const isShown = ({ role, services }: StatementFilter): Sql => {
  if (role !== undefined) return sql`s.role = ${role}`;
  return services ? sql`true` : sql`s.role !~ ${serviceRoles}`;
};

/** Returns when the first sample was taken. */
export async function historyStart(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ at: string }>(sql`
    select pg_catalog.to_char(began_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
    from _plinth.history_sampler`);
  return row?.at ?? null;
}

export interface RoleStep {
  readonly role: string;
  /** The index of the step. */
  readonly step: number;
  readonly totalMs: number;
}

export function roleSteps(db: Queryable, period: Period, filter: StatementFilter): Promise<RoleStep[]> {
  return db.query<RoleStep>(sql`
    select s.role, pg_catalog.floor((extract(epoch from s.at)::float8 * 1000 - ${period.start}::float8)
        / ${period.stepMs}::float8)::int as step, pg_catalog.sum(s.total_ms) as "totalMs"
    from ${samplesOf(period)} s where ${isShown(filter)} group by 1, 2`);
}

export interface PartRow extends Totals {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly firstSeenAt: string;
  /** Whether the calls were after the split. */
  readonly isAfter: boolean;
}

/** Returns the most expensive statements, with one or two rows for each statement. */
export function statementParts(
  db: Queryable,
  period: Period,
  { split, ...filter }: StatementFilter & { readonly split: number },
): Promise<PartRow[]> {
  return db.query<PartRow>(sql`
    with parts as (
      select s.id, s.role, s.at >= ${timeOf(split)} as is_after, ${sums}
      from ${samplesOf(period)} s where s.id <> 0 and ${isShown(filter)} group by 1, 2, 3
    ), best as (
      select p.id, p.role, pg_catalog.sum(p."totalMs") as all_ms from parts p
      group by 1, 2 order by 3 desc, 1, 2 limit ${maxStatements}::int
    )
    select p.id::text as id, p.role, p.is_after as "isAfter", p.calls, p.rows, p."totalMs", p.squares, h.text,
      pg_catalog.to_char(h.first_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "firstSeenAt"
    from best b join parts p using (id, role) join _plinth.history_statements h using (id, role)
    order by b.all_ms desc, p.id, p.role, p.is_after`);
}

export interface StepRow extends Totals {
  readonly step: number;
}

export function statementSteps(
  db: Queryable,
  period: Period,
  { id, role }: { readonly id: string; readonly role: string },
): Promise<StepRow[]> {
  return db.query<StepRow>(sql`
    select pg_catalog.floor((extract(epoch from s.at)::float8 * 1000 - ${period.start}::float8)
      / ${period.stepMs}::float8)::int as step, ${sums}
    from ${samplesOf(period)} s where s.id = ${id}::bigint and s.role = ${role} group by 1`);
}

/** Returns the events of a period, oldest first. If there are too many, the newest are returned. */
export async function marksSince(db: Queryable, start: number): Promise<HistoryMark[]> {
  const rows = await db.query<HistoryMark>(sql`
    select (extract(epoch from m.at) * 1000)::float8 as at, m.kind, case m.kind when 'start' then '' else m.name end as name
    from (
      select at, kind, name from _plinth.history_marks where at >= ${timeOf(start)}
      union all
      select a.at, 'function', a.target || coalesce(' v' || (a.detail ->> 'version'), '') from _plinth.audit_log a
      where a.action = 'function.deploy' and a.at >= ${timeOf(start)}
    ) m
    order by m.at desc, m.kind, m.name limit ${maxMarks}::int`);
  return rows.toReversed();
}

export interface ComparedStatement {
  readonly id: string;
  readonly role: string;
  readonly isNew: boolean;
  /** The calls of the hours before. Null if there were none. */
  readonly before: Totals | null;
  readonly after: Totals;
}

/** Returns the project's statements of the last hour, with their calls in the 23 hours before. */
export async function lastHour(db: Queryable, now: number): Promise<ComparedStatement[]> {
  const hourMs = 3_600_000;
  const rows = await db.query<Totals & { id: string; role: string; isNew: boolean; isAfter: boolean }>(sql`
    select s.id::text as id, s.role, s.at >= ${timeOf(now - hourMs)} as "isAfter", ${sums},
      pg_catalog.min(h.first_seen_at) >= ${timeOf(now - hourMs)}
        and (select began_at from _plinth.history_sampler) < ${timeOf(now - 24 * hourMs)} as "isNew"
    from _plinth.history_samples s join _plinth.history_statements h using (id, role)
    where s.step = 'minute' and s.at >= ${timeOf(now - 24 * hourMs)} and s.role !~ ${serviceRoles}
    group by s.id, s.role, 3`);
  const before = new Map(
    rows.filter(({ isAfter }) => !isAfter).map((row) => [`${row.id} ${row.role}`, row] as const),
  );
  return rows
    .filter(({ isAfter }) => isAfter)
    .map((after) => ({
      ...{ id: after.id, role: after.role, isNew: after.isNew, after },
      before: before.get(`${after.id} ${after.role}`) ?? null,
    }));
}
