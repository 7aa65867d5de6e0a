/** The routes for the migrations page. */
import type { Clock } from '../../../base/kernel/clock.ts';
import { diffLines } from '../../../base/shared/diff-lines.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { WriteMigration } from '../schema/apply.ts';
import type { DryRun, Migration, MigrationText } from './contract.ts';
import { type DriftRunner, driftRoutes } from './drift.ts';
import { withReason } from './with-reason.ts';

/** The migrations in the project and their state (`folder/review.ts`). */
export interface Migrations extends DriftRunner {
  list(): Promise<readonly Migration[]>;
  text(version: string): Promise<Omit<MigrationText, 'lines'> | undefined>;
  dryRun(includeAll: boolean): Promise<DryRun>;
  apply(includeAll: boolean): Promise<readonly string[]>;
  repair(version: string, status: 'applied' | 'reverted'): Promise<void>;
  /** Runs the down script of the newest applied migration and returns the script's path. */
  revert(version: string): Promise<string>;
}

export interface MigrationDeps {
  /** A pool whose connections log in as `postgres`. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly writeMigration: WriteMigration;
  readonly projectMigrations: Migrations;
  readonly audit: Audit;
}

export function migrationRoutes(
  api: Api,
  { projectMigrations, audit, pool, clock, writeMigration }: MigrationDeps,
): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /migrations', 'read', async () => ({
    migrations: await projectMigrations.list(),
    writesFiles: projectMigrations.writesFiles,
  }));
  const { forget } = driftRoutes(route, {
    pool,
    clock,
    runner: projectMigrations,
    pending: () => pendingVersions(projectMigrations),
    writeMigration,
    audit,
  });
  // Requires the `secrets` permission because migrations can contain passwords and keys.
  route('GET /migrations/:version', 'secrets', async ({ params }) => {
    const text = await projectMigrations.text(params.version);
    if (text === undefined) throw noMigration();
    const { file, applied } = text;
    return { ...text, lines: file === null || applied === null ? null : diffLines(applied, file) };
  });
  route(
    'POST /migrations/dry-run',
    'write',
    async (call) => {
      const { includeAll } = await call.body();
      return withReason(() => projectMigrations.dryRun(includeAll));
    },
    { changes: 'nothing' },
  );
  route('POST /migrations/apply', 'write', async (call) => {
    const { includeAll } = await call.body();
    forget();
    const before = await pendingVersions(projectMigrations);
    try {
      return { applied: await withReason(() => projectMigrations.apply(includeAll)) };
    } finally {
      // If a file fails, the files before it remain applied.
      const left = await pendingVersions(projectMigrations);
      const applied = before.filter((version) => !left.includes(version));
      if (applied.length > 0) await audit(call, 'migration.apply', applied.join(' '));
    }
  });
  route('POST /migrations/repair', 'write', async (call) => {
    const { version, status } = await call.body();
    if (!(await projectMigrations.list()).some((each) => each.version === version)) throw noMigration();
    forget();
    await withReason(() => projectMigrations.repair(version, status));
    await audit(call, 'migration.repair', version, { status });
  });
  route('POST /migrations/revert', 'write', async (call) => {
    const { version } = await call.body();
    forget();
    const script = await withReason(() => projectMigrations.revert(version));
    await audit(call, 'migration.revert', version, { script });
    return { script };
  });
}

const noMigration = (): ConsoleError =>
  new ConsoleError('not_found', { message: "This migration doesn't exist." });

const pendingVersions = async ({ list }: Migrations): Promise<string[]> =>
  (await list()).filter(({ state }) => state === 'pending').map(({ version }) => version);
