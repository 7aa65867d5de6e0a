/** The routes for the migrations page. */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { DryRun, Migration, MigrationText } from './contract.ts';

/** The migrations in the project and their state (`project/review.ts`). */
export interface Migrations {
  list(): Promise<readonly Migration[]>;
  text(version: string): Promise<MigrationText | undefined>;
  dryRun(includeAll: boolean): Promise<DryRun>;
  apply(includeAll: boolean): Promise<readonly string[]>;
  repair(version: string, status: 'applied' | 'reverted'): Promise<void>;
}

export interface MigrationDeps {
  readonly projectMigrations: Migrations;
  readonly audit: Audit;
}

export function migrationRoutes(api: Api, { projectMigrations, audit }: MigrationDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /migrations', 'read', async () => ({ migrations: await projectMigrations.list() }));
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
}

const noMigration = (): ConsoleError =>
  new ConsoleError('not_found', { message: "This migration doesn't exist." });

const pendingVersions = async ({ list }: Migrations): Promise<string[]> =>
  (await list()).filter(({ state }) => state === 'pending').map(({ version }) => version);

/** Runs the operation. @throws {ConsoleError} refused, with the file, the statement and the message from PostgreSQL */
async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ProjectError') throw error;
    const { advice } = error as Error & { readonly advice: readonly string[] };
    throw new ConsoleError(
      'refused',
      { message: error.message, ...(advice.length === 0 ? {} : { detail: advice.join('\n') }) },
      { cause: error },
    );
  }
}
