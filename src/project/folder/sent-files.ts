/**
 * Runs the files of a linked project folder, which `db push` sends through the Management API. The SQL runs as the
 * project's own files do (`run-file.ts`), but no file is written to this server's folder.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { shellQuoted } from '../../base/shared/printable.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { announcing } from './announcing.ts';
import { sameStatements } from './core/same-statements.ts';
import { splitStatements } from './core/split.ts';
import { ProjectError } from './errors.ts';
import { extensionOptions } from './external-extensions.ts';
import { readSources } from './files.ts';
import { withUserSession } from './first-start.ts';
import {
  ensureHistory,
  insertApplied,
  selectApplied,
  selectRecorded,
  selectSeeds,
  upsertSeed,
  upsertVaultSecret,
} from './queries.ts';
import { type RunOptions, runFile } from './run-file.ts';
import { findSchemaTool } from './schema-tools.ts';
import type { ProjectDeps } from './types.ts';

export interface SentMigration {
  readonly version: string;
  readonly name: string;
  readonly text: string;
  /** The newest version that the sender expects to be applied. An empty string if there should be none. */
  readonly after: string;
}

/**
 * Runs a migration and records it, in one transaction if PostgreSQL allows it. Returns false if the migration was
 * already applied, so a sender that hasn't received the response can send the migration again.
 *
 * @throws {ProjectError} `history_changed` if another migration was applied in the meantime; `migration_differs` if the
 * version was applied with different statements; or the failed statement and its line
 */
export async function applySentMigration(deps: ProjectDeps, migration: SentMigration): Promise<boolean> {
  const { version, name, text, after } = migration;
  return await running(deps, async (run, session) => {
    await ensureHistory(session);
    const earlier = await selectRecorded(session, version);
    if (earlier !== undefined) {
      // `migration repair` of other tools records versions without statements.
      const isSame = earlier.length === 0 || sameStatements(earlier, statementsOf(text));
      if (!isSame) throw migrationDiffers(version);
      return false;
    }
    const newest = (await selectApplied(session)).at(-1)?.version ?? '';
    if (newest !== after) throw new ProjectError('history_changed');
    await run(`supabase/migrations/${version}_${name}.sql`, text, (tx, statements) =>
      insertApplied(tx, { version, name, statements }),
    );
    return true;
  });
}

const statementsOf = (text: string): string[] => splitStatements(text).map((statement) => statement.text);

function migrationDiffers(version: string): ProjectError {
  const advice = [
    'Create a new migration for the change. To record the version again from the file, without running it:',
    `  plinth migration repair --status applied ${shellQuoted(version)} --linked`,
  ];
  return new ProjectError('migration_differs', { version }, { advice });
}

export interface SentFile {
  /** The path in the sender's project folder, such as `supabase/seed.sql`. */
  readonly shownPath: string;
  readonly text: string;
}

/**
 * `applied`: the file ran. `changed`: an earlier version of the file has run, so only the recorded hash was updated.
 * `unchanged`: the same file has already run.
 */
export type SeedOutcome = 'applied' | 'changed' | 'unchanged';

/** Runs a seed file, unless it has already run. @throws {ProjectError} */
export async function applySentSeed(deps: ProjectDeps, { shownPath, text }: SentFile): Promise<SeedOutcome> {
  const hash = createHash('sha256').update(text).digest('hex');
  return await running(deps, async (run, session) => {
    await ensureHistory(session);
    const known = (await selectSeeds(session)).get(shownPath);
    if (known === hash) return 'unchanged';
    if (known !== undefined) {
      await upsertSeed(session, shownPath, hash);
      return 'changed';
    }
    await run(shownPath, text, (tx) => upsertSeed(tx, shownPath, hash));
    return 'applied';
  });
}

/** Runs a file that isn't recorded, such as roles.sql. @throws {ProjectError} */
export const runSentFile = (deps: ProjectDeps, { shownPath, text }: SentFile): Promise<void> =>
  running(deps, (run) => run(shownPath, text, async () => {}));

/** Creates or changes secrets in the vault. */
export async function storeVaultSecrets(
  { database }: Pick<ProjectDeps, 'database'>,
  secrets: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  await database.pool('postgres').transaction(async (tx) => {
    for (const { name, value } of secrets) await upsertVaultSecret(tx, name, value);
  });
}

type Run = (shownPath: string, text: string, record: RunOptions['record']) => Promise<void>;

/**
 * Runs `work` while no other process changes the project's database, and waits until the schema is loaded. The signal in
 * `deps` ends only the wait for other processes. A file that is running isn't canceled.
 */
async function running<T>(deps: ProjectDeps, work: (run: Run, session: Queryable) => Promise<T>): Promise<T> {
  const { database, projectDir, onProgress } = deps;
  return await announcing(database, onProgress, () =>
    withUserSession(deps, (session, privileged) => {
      const run: Run = (shownPath, text, record) =>
        runFile(
          { shownPath, text },
          {
            session,
            privileged,
            quiet: false,
            ...extensionOptions(database),
            readSources: () => readSources(join(projectDir, 'supabase')),
            findSchemaTool: () => findSchemaTool(projectDir),
            record,
          },
        );
      return work(run, session);
    }),
  );
}
