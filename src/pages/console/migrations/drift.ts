/** The routes that compare the database with the migrations, save the differences as a migration, and squash. */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { ObjectDifference } from '../../../project/diff/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { statementsOf } from '../core/statements-of.ts';
import { ConsoleError } from '../errors.ts';
import type { AddRoute } from '../routes/api.ts';
import type { WriteMigration } from '../schema/apply.ts';
import type { contract, Drift, DriftObject, DriftState, DriftStep, Squashed } from './contract.ts';
import { withoutSecrets } from './hide-secrets.ts';
import { withReason } from './with-reason.ts';

/** The result of a comparison (`server/backend/drift.ts`). */
export interface FoundDrift {
  readonly objects: readonly ObjectDifference[];
  readonly sql: string;
  readonly problem: string | null;
  readonly undo: string;
  readonly canUndo: boolean;
}

export interface DriftRunner {
  /** Whether changes to the project folder are kept, as in development. */
  readonly writesFiles: boolean;
  drift(onStep: (step: DriftStep) => void): Promise<FoundDrift>;
  squash(version: string, onStep: (step: DriftStep) => void): Promise<Squashed>;
}

export interface DriftDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly runner: DriftRunner;
  /** Returns the versions of the pending migrations. */
  readonly pending: () => Promise<readonly string[]>;
  readonly writeMigration: WriteMigration;
  readonly audit: Audit;
}

export interface DriftRoutes {
  /** Discards the last result, which is outdated after a change to the history. */
  forget(): void;
}

export function driftRoutes(
  route: AddRoute<typeof contract>,
  { pool, clock, runner, pending, writeMigration, audit }: DriftDeps,
): DriftRoutes {
  let last: Drift | null = null;
  let running: DriftState['running'] = null;
  /** Runs one operation at a time, because each one starts a PostgreSQL server. */
  async function alone<T>(work: (onStep: (step: DriftStep) => void) => Promise<T>): Promise<T> {
    if (running !== null) throw new ConsoleError('busy', { waitSeconds: 1 });
    const since = clock.now();
    running = { step: 'server', since };
    try {
      return await withReason(() =>
        work((step) => {
          running = { step, since };
        }),
      );
    } finally {
      running = null;
    }
  }

  route('GET /migrations/drift', 'read', async ({ operator }) => ({
    running,
    last: last === null || may(operator.role, 'secrets') ? last : withoutSecrets(last),
  }));
  // Requires the `write` permission, because the comparison runs the project's migrations.
  route('POST /migrations/drift', 'write', async () => {
    // A pending migration would look like a change that was made backward.
    if ((await pending()).length > 0)
      throw new ConsoleError('refused', { message: 'Apply the pending migrations first.' });
    last = await alone(async (onStep) => {
      const { objects, ...found } = await runner.drift(onStep);
      return { ...found, checkedAt: clock.now(), objects: objects.map(shownObject) };
    });
    return last;
  });
  route('POST /migrations/drift/save', 'write', async (call) => {
    const { name, sql, withDown } = await call.body();
    requireFiles();
    // The statements have been run in a database with the migrations only if they are those of the last comparison.
    if (last?.sql !== sql || last.problem !== null || (withDown && !last.canUndo))
      throw new ConsoleError('refused', {
        message: 'The comparison is out of date. Check for drift again.',
      });
    const { undo } = last;
    last = null;
    let written: Awaited<ReturnType<WriteMigration>> | undefined;
    try {
      await withReason(() =>
        pool.transaction(async (tx) => {
          written = await writeMigration(tx, name, statementsOf(sql), withDown ? (undo ?? '') : undefined);
        }),
      );
    } catch (error) {
      written?.discard();
      throw error;
    }
    const file = written?.shownPath ?? '';
    await audit(call, 'migration.create', file);
    return { file };
  });
  route('POST /migrations/squash', 'write', async (call) => {
    const { version } = await call.body();
    requireFiles();
    const squashed = await alone((onStep) => runner.squash(version, onStep));
    last = null;
    await audit(call, 'migration.squash', squashed.file, { backup: squashed.backup });
    return squashed;
  });

  function requireFiles(): void {
    if (!runner.writesFiles)
      throw new ConsoleError('refused', {
        message: 'In production, migration files aren’t written. Copy the SQL into your project folder.',
      });
  }
  return {
    forget() {
      last = null;
    },
  };
}

const shownObject = ({ forward, backward, losesData, ...object }: ObjectDifference): DriftObject => ({
  kind: object.kind,
  name: object.name,
  change: object.change,
  lines: object.lines,
  files: object.files,
  sql: forward,
  undo: backward,
  undoLosesData: losesData.backward,
});
