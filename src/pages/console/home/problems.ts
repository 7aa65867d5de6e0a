/** Collects the problems in the project that need attention, for the home page. */
import type { Health } from '../../../base/kernel/service.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { BackupStatus } from '../../../operations/backup/index.ts';
import {
  type Config,
  describePages,
  type LiveConfig,
  type SettingsPlace,
} from '../../../platform/config/index.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { NodeStatus } from '../../../platform/group/types.ts';
import type { Finding } from '../../../project/advisors/index.ts';
import { ConsoleError } from '../errors.ts';
import { readParts } from '../jobs/parts.ts';
import type { MetricsReport } from '../logs/contract.ts';
import { hasStatistics, listStatements } from '../queries-page/queries.ts';
import { createSettingsFiles } from '../settings/files.ts';
import { envReference } from '../settings/known.ts';
import type { RunningDeps } from '../settings/running.ts';
import type { History } from '../statement-history/history.ts';
import type { Problem } from './contract.ts';
import { nodeProblems } from './node-problems.ts';

export interface ProblemDeps {
  readonly pool: Pool;
  /** A pool of the superuser, which can read `_plinth`. */
  readonly db: Pool;
  readonly health: () => Record<string, string | undefined>;
  readonly conditions: () => Conditions;
  readonly findings: () => Promise<readonly Finding[]>;
  readonly history: Pick<History, 'findings'>;
  /** Returns the requests of all nodes. */
  readonly metrics: (rangeMs: number) => Promise<MetricsReport>;
  readonly nodes: () => Promise<readonly NodeStatus[]>;
  readonly backups: { status(): BackupStatus } | undefined;
  readonly configuration: RunningDeps['configuration'];
  readonly config: LiveConfig;
  readonly place: SettingsPlace;
}

/** The state of resources that all services need. `tls` is set only if the server uses HTTPS. */
export interface Conditions {
  readonly disk: Health;
  readonly tls?: Health;
}

const hourMs = 3_600_000;
const slowMeanMs = 500;
const minSlowCalls = 5;
const maxSlowStatements = 3;

type Source = Extract<Problem, { readonly kind: 'unchecked' }>['source'];

/** Returns the problems, most severe first. */
export async function problemsOf(deps: ProblemDeps): Promise<Problem[]> {
  // If one source of problems fails, for example because the database is overloaded, the problems from the other
  // sources are still shown.
  const checked = (source: Source, found: Promise<Problem[]>): Promise<Problem[]> =>
    found.catch(() => [{ kind: 'unchecked', severity: 'warning', source }]);
  const fromDatabase = await Promise.all([
    checked('jobs', failedJobs(deps.pool)),
    checked('advisors', findingCounts(deps)),
    checked('statements', statementProblems(deps)),
    checked('nodes', deps.nodes().then(nodeProblems)),
    checked('attacks', signInAttacks(deps.db)),
    serverErrors(deps),
  ]);
  const problems = [
    ...faults(deps),
    ...conditionProblems(deps),
    ...backupProblems(deps),
    ...settings(deps),
    ...incompleteProviders(deps.config.current, deps.place),
    ...fromDatabase.flat(),
  ];
  return [
    ...problems.filter(({ severity }) => severity === 'error'),
    ...problems.filter(({ severity }) => severity === 'warning'),
  ];
}

const faults = ({ health }: ProblemDeps): Problem[] =>
  Object.entries(health()).flatMap(([service, fault]) =>
    fault === undefined ? [] : { kind: 'service', severity: 'error', service, fault },
  );

const conditionProblems = ({ conditions }: ProblemDeps): Problem[] =>
  Object.entries(conditions()).flatMap(([part, { status, message }]) =>
    status === 'ok'
      ? []
      : {
          kind: 'condition',
          severity: status === 'failing' ? 'error' : 'warning',
          part: part as keyof Conditions,
          message: message ?? '',
        },
  );

/** For each service except the Console, counts the responses with a 5xx status in the last hour. */
async function serverErrors({ metrics }: ProblemDeps): Promise<Problem[]> {
  const { services } = await metrics(hourMs);
  return services
    .filter(({ service, total }) => service !== 'console' && total.failed > 0)
    .map(({ service, total }) => ({
      kind: 'server-errors',
      severity: 'error',
      service,
      count: total.failed,
    }));
}

/** Wrong passwords and codes within this time count as an attack if there are many. */
const attackMinutes = 10;
const attackFailures = 100;
const attackAccounts = 20;

/** Counts the accounts and networks for which wrong passwords and codes were entered, and the number of wrong ones. */
async function signInAttacks(db: Queryable): Promise<Problem[]> {
  const [table] = await db.query<{ exists: boolean }>(sql`
    select pg_catalog.to_regclass('_plinth.guess_streaks') is not null as exists`);
  if (table?.exists !== true) return [];
  const [found] = await db.query<{ accounts: number; failures: number }>(sql`
    select count(*)::int as accounts, coalesce(sum(failures), 0)::int as failures from _plinth.guess_streaks
    where last_at > pg_catalog.now() - pg_catalog.make_interval(mins => ${attackMinutes}::int)`);
  if (found === undefined || (found.failures < attackFailures && found.accounts < attackAccounts)) return [];
  return [{ kind: 'sign-in-attack', severity: 'error', ...found }];
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

/** A statement that has become slower isn't also reported as slow. */
async function statementProblems({ pool, history }: ProblemDeps): Promise<Problem[]> {
  const [slow, findings] = await Promise.all([slowStatements(pool), history.findings()]);
  const changed = findings.map(
    ({ kind, ...finding }): Problem => ({ kind: `${kind}-statement`, severity: 'warning', ...finding }),
  );
  const isChanged = (problem: Problem): boolean =>
    problem.kind === 'slow-statement' &&
    findings.some(({ id, role }) => id === problem.id && role === problem.role);
  return [...changed, ...slow.filter((problem) => !isChanged(problem))];
}

async function slowStatements(db: Queryable): Promise<Problem[]> {
  if (!(await hasStatistics(db))) return [];
  const statements = await listStatements(db, { order: 'mean', services: false, minCalls: minSlowCalls });
  return statements
    .filter(({ meanMs }) => meanMs >= slowMeanMs)
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

/** Providers that need no secret in native apps, because the user signs in through the device. */
const nativeProviders: readonly string[] = ['apple', 'google'];

/**
 * Finds enabled sign-in providers whose client ID or secret is missing. Every attempt to sign in with such a provider
 * fails.
 */
function incompleteProviders({ auth }: Config, place: SettingsPlace): Problem[] {
  if (!auth.enabled) return [];
  return Object.entries(auth.external).flatMap(([name, { enabled, client_id, secret }]): Problem[] => {
    if (!enabled) return [];
    // If the environment variable in an `env()` reference isn't set, a client ID is the text of the reference, but a
    // secret is undefined.
    const hasClientId = client_id !== '' && !envReference.test(client_id ?? '');
    const hasSecret =
      (secret ?? '') !== '' || (nativeProviders.includes(name) && !isSecretInFile(name, place));
    const missing = [
      ...(hasClientId ? [] : (['client_id'] as const)),
      ...(hasSecret ? [] : (['secret'] as const)),
    ];
    if (missing.length === 0) return [];
    return [{ kind: 'provider', severity: 'error', provider: name, title: titleOf(name), missing }];
  });
}

const titleOf = (provider: string): string =>
  describePages()
    .flatMap(({ parts }) => parts)
    .find(({ panel }) => panel?.kind === 'provider' && panel.name === provider)?.title ?? provider;

/** Returns false if the file isn't valid TOML, because the home page reports invalid TOML as a separate problem. */
function isSecretInFile(provider: string, place: SettingsPlace): boolean {
  const files = createSettingsFiles(place);
  try {
    return files.valueOf(files.table('config.toml'), {
      file: 'config.toml',
      path: ['auth', 'external', provider, 'secret'],
    }).isSet;
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return false;
  }
}
