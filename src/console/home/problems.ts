/** Collects what needs attention in the whole project, for the home page. */
import type { Finding } from '../../advisors/index.ts';
import type { BackupStatus } from '../../backup/index.ts';
import type { Pool, Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { LogFilter, Telemetry } from '../../telemetry/types.ts';
import { readParts } from '../jobs/parts.ts';
import { hasStatistics, listStatements } from '../queries-page/queries.ts';
import type { RunningDeps } from '../settings/running.ts';
import type { Problem } from './contract.ts';

export interface ProblemDeps {
  readonly pool: Pool;
  readonly health: () => Record<string, string | undefined>;
  readonly findings: () => Promise<readonly Finding[]>;
  readonly telemetry: Pick<Telemetry, 'list'>;
  readonly backups: { status(): BackupStatus } | undefined;
  readonly configuration: RunningDeps['configuration'];
  readonly now: () => number;
}

const hourMs = 3_600_000;
const maxCountedErrors = 500;
const slowMeanMs = 500;
const minSlowCalls = 5;
const maxSlowStatements = 3;

/** Returns the problems, the most severe ones first. */
export async function problemsOf(deps: ProblemDeps): Promise<Problem[]> {
  const found = await Promise.all([
    faults(deps),
    serverErrors(deps),
    failedJobs(deps.pool),
    backupProblems(deps),
    findingCounts(deps),
    slowStatements(deps.pool),
    settings(deps),
  ]);
  const problems = found.flat();
  return [
    ...problems.filter(({ severity }) => severity === 'error'),
    ...problems.filter(({ severity }) => severity === 'warning'),
  ];
}

const faults = ({ health }: ProblemDeps): Problem[] =>
  Object.entries(health()).flatMap(([service, fault]) =>
    fault === undefined ? [] : { kind: 'service', severity: 'error', service, fault },
  );

/** Counts the responses with a status of 5xx in the last hour by service. The Console's own requests are excluded. */
async function serverErrors({ telemetry, now }: ProblemDeps): Promise<Problem[]> {
  const filter: LogFilter = { service: '!console', status: '5', since: now() - hourMs };
  const { entries } = await telemetry.list(filter, maxCountedErrors);
  const groups = Map.groupBy(entries, ({ service }) => service ?? 'gateway');
  return [...groups].map(([service, list]) => ({
    kind: 'server-errors',
    severity: 'error',
    service,
    count: list.length,
  }));
}

interface FailedJob {
  readonly id: string;
  readonly name: string | null;
  readonly failures: number;
}

/** Returns the active cron jobs whose last run failed. */
async function failedJobs(db: Queryable): Promise<Problem[]> {
  if ((await readParts(db)).cron !== 'ready') return [];
  const jobs = await db.query<FailedJob>(sql`
    select j.jobid::text as id, j.jobname as name, recent.failures
    from cron.job j, lateral (
      select count(*) filter (where r.status = 'failed')::int as failures,
        (pg_catalog.array_agg(r.status order by r.runid desc))[1] as last
      from (
        select d.runid, d.status from cron.job_run_details d
        where d.jobid = j.jobid and d.status in ('failed', 'succeeded') order by d.runid desc limit 10
      ) r
    ) recent
    where j.active and recent.last = 'failed'
    order by j.jobid`);
  return jobs.map(({ id, name, failures }) => ({
    kind: 'job',
    severity: 'error',
    job: id,
    name: name ?? id,
    failures,
  }));
}

function backupProblems({ backups }: ProblemDeps): Problem[] {
  const status = backups?.status();
  if (status === undefined) return [];
  if (status.error !== undefined) return [{ kind: 'backup', severity: 'error', message: status.error }];
  return status.overdue ? [{ kind: 'backup', severity: 'error', message: null }] : [];
}

async function findingCounts({ findings }: ProblemDeps): Promise<Problem[]> {
  const all = await findings();
  return (['SECURITY', 'PERFORMANCE'] as const).flatMap((category): Problem[] => {
    const own = all.filter(({ categories, level }) => categories[0] === category && level !== 'INFO');
    const errors = own.filter(({ level }) => level === 'ERROR').length;
    if (own.length === 0) return [];
    return [
      {
        kind: 'advisors',
        severity: errors > 0 ? 'error' : 'warning',
        category,
        errors,
        warnings: own.length - errors,
      },
    ];
  });
}

async function slowStatements(db: Queryable): Promise<Problem[]> {
  if (!(await hasStatistics(db))) return [];
  const statements = await listStatements(db, { order: 'mean', services: false });
  return statements
    .filter(({ meanMs, calls }) => meanMs >= slowMeanMs && calls >= minSlowCalls)
    .slice(0, maxSlowStatements)
    .map(({ id, role, meanMs, calls }) => ({
      kind: 'slow-statement',
      severity: 'warning',
      id,
      role,
      meanMs,
      calls,
    }));
}

function settings({ configuration }: ProblemDeps): Problem[] {
  if (configuration === undefined) return [];
  const { needsRestart, faults: invalid } = configuration.status();
  return [
    ...(invalid.length > 0
      ? [{ kind: 'invalid-settings', severity: 'error', count: invalid.length } as const]
      : []),
    ...(needsRestart.length > 0
      ? [{ kind: 'restart', severity: 'warning', settings: needsRestart.map(({ key }) => key) } as const]
      : []),
  ];
}
