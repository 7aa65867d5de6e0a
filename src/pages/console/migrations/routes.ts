/** The routes for the migrations page. */
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { statementsOf } from '../core/statements-of.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { WriteMigration } from '../schema/apply.ts';
import type { Drift, DryRun, Migration, MigrationText } from './contract.ts';
import { withReason } from './with-reason.ts';

/** The migrations in the project and their state (`folder/review.ts`). */
export interface Migrations {
  list(): Promise<readonly Migration[]>;
  text(version: string): Promise<MigrationText | undefined>;
  dryRun(includeAll: boolean): Promise<DryRun>;
  apply(includeAll: boolean): Promise<readonly string[]>;
  repair(version: string, status: 'applied' | 'reverted'): Promise<void>;
  /** Undefined if the server doesn't compare its database with the migrations. */
  readonly drift: (() => Promise<Drift>) | undefined;
}

export interface MigrationDeps {
  /** A pool whose connections log in as `postgres`. */
  readonly pool: Pool;
  readonly writeMigration: WriteMigration;
  readonly projectMigrations: Migrations;
  readonly audit: Audit;
}

export function migrationRoutes(
  api: Api,
  { projectMigrations, audit, pool, writeMigration }: MigrationDeps,
): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /migrations', 'read', async () => ({
    migrations: await projectMigrations.list(),
    canFindDrift: projectMigrations.drift !== undefined,
  }));
  driftRoutes();
  // Requires the `secrets` permission because migrations can contain passwords and keys.
  route('GET /migrations/:version', 'secrets', async ({ params }) => {
    const text = await projectMigrations.text(params.version);
    if (text === undefined) throw noMigration();
    return text;
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
    await withReason(() => projectMigrations.repair(version, status));
    await audit(call, 'migration.repair', version, { status });
  });

  function driftRoutes(): void {
    const { drift } = projectMigrations;
    if (drift === undefined) return;
    let last: Drift | undefined;
    let isRunning = false;
    // Requires the `write` permission, because the comparison runs the project's migrations.
    route('POST /migrations/drift', 'write', async () => {
      if (isRunning) throw new ConsoleError('busy', { waitSeconds: 1 });
      // A pending migration would look like a change that was made backward.
      if ((await pendingVersions(projectMigrations)).length > 0)
        throw new ConsoleError('refused', { message: 'Apply the pending migrations first.' });
      isRunning = true;
      try {
        last = await withReason(drift);
        return last;
      } finally {
        isRunning = false;
      }
    });
    route('POST /migrations/drift/save', 'write', async (call) => {
      const { name, sql } = await call.body();
      // The statements have been run in a database with the migrations only if they are those of the last comparison.
      if (last?.sql !== sql || last.problem !== null)
        throw new ConsoleError('refused', {
          message: 'The comparison is out of date. Check for drift again.',
        });
      let written: Awaited<ReturnType<WriteMigration>> | undefined;
      try {
        await pool.transaction(async (tx) => {
          written = await writeMigration(tx, name, statementsOf(sql));
        });
      } catch (error) {
        written?.discard();
        throw error;
      }
      last = undefined;
      const file = written?.shownPath ?? '';
      await audit(call, 'migration.create', file);
      return { file };
    });
  }
}

const noMigration = (): ConsoleError =>
  new ConsoleError('not_found', { message: "This migration doesn't exist." });

const pendingVersions = async ({ list }: Migrations): Promise<string[]> =>
  (await list()).filter(({ state }) => state === 'pending').map(({ version }) => version);
