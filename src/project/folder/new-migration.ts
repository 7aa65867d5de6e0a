/**
 * Applies and records migrations whose SQL comes from a client of the Management API instead of a file. The SQL runs as
 * a migration file does (`run-file.ts`).
 */
import { join } from 'node:path';
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { announcing } from './announcing.ts';
import { splitStatements } from './core/split.ts';
import { extensionOptions } from './external-extensions.ts';
import { readMigrationFolder, readSources } from './files.ts';
import { withUserSession } from './first-start.ts';
import { versionAfter, type WrittenMigration, writeMigration } from './new-files.ts';
import { ensureHistory, insertApplied, selectApplied } from './queries.ts';
import { runFile } from './run-file.ts';
import { findSchemaTool } from './schema-tools.ts';
import type { ProjectDeps } from './types.ts';

export interface NewMigration {
  /** The name, which consists of letters, digits, `_`, `.` and `-`. */
  readonly name: string;
  readonly text: string;
  /** A migration with this key is applied and recorded only once. */
  readonly idempotencyKey?: string | undefined;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

export interface RecordedNew {
  readonly version: string;
  readonly name: string;
  /** The path of the file that was written, in the form that messages show. Undefined if no file was written. */
  readonly file: string | undefined;
}

/**
 * Runs the migration's SQL and records it, in one transaction if PostgreSQL allows it. With `writesFile`, also writes
 * the SQL to a file in `supabase/migrations`. If the SQL fails, no file remains.
 *
 * @throws {ProjectError} with the failed statement and its line
 */
export async function applyNewMigration(
  deps: ProjectDeps,
  migration: NewMigration,
  writesFile: boolean,
): Promise<RecordedNew> {
  const { database, projectDir, onProgress } = deps;
  const supabaseDir = join(projectDir, 'supabase');
  const { name, text, now } = migration;
  let written: WrittenMigration | undefined;
  let recorded: RecordedNew | undefined;
  async function record(tx: Queryable, statements: readonly string[]): Promise<void> {
    if (writesFile) {
      const ended = text.endsWith('\n') ? text : `${text}\n`;
      written = await writeMigration(tx, supabaseDir, { name, statements, text: ended, now });
      recorded = { version: written.version, name, file: written.shownPath };
    } else recorded = await insertNew(tx, supabaseDir, { name, statements, now });
    await recordKey(tx, recorded.version, migration.idempotencyKey);
  }
  try {
    return await announcing(database, onProgress, () =>
      withUserSession(deps, async (session, privileged) => {
        const earlier = await findByKey(session, migration.idempotencyKey);
        if (earlier !== undefined) return earlier;
        await ensureHistory(session);
        await runFile(
          { shownPath: name, text },
          {
            session,
            privileged,
            quiet: false,
            ...extensionOptions(database),
            readSources: () => readSources(supabaseDir),
            findSchemaTool: () => findSchemaTool(projectDir),
            record,
          },
        );
        if (recorded === undefined) throw new Error('the migration was not recorded');
        return recorded;
      }),
    );
  } catch (error) {
    written?.discard();
    throw error;
  }
}

/** Records the migration without running its SQL and without writing a file. */
export async function recordNewMigration(
  { database, projectDir }: Pick<ProjectDeps, 'database' | 'projectDir'>,
  { name, text, idempotencyKey, now }: NewMigration,
): Promise<RecordedNew> {
  return await database.pool('postgres').transaction(async (tx) => {
    await ensureHistory(tx);
    const earlier = await findByKey(tx, idempotencyKey);
    if (earlier !== undefined) return earlier;
    const statements = splitStatements(text).map((statement) => statement.text);
    const recorded = await insertNew(tx, join(projectDir, 'supabase'), { name, statements, now });
    await recordKey(tx, recorded.version, idempotencyKey);
    return recorded;
  });
}

async function insertNew(
  tx: Queryable,
  supabaseDir: string,
  {
    name,
    statements,
    now,
  }: { readonly name: string; readonly statements: readonly string[]; readonly now: number },
): Promise<RecordedNew> {
  const versions = [
    ...(await selectApplied(tx)).map(({ version }) => version),
    ...readMigrationFolder(supabaseDir).files.map(({ version }) => version),
  ];
  const version = versionAfter(versions, now);
  await insertApplied(tx, { version, name, statements });
  return { version, name, file: undefined };
}

/** Stores the key in the column that upstream uses. The constraint also holds if two servers record the same key. */
async function recordKey(tx: Queryable, version: string, key: string | undefined): Promise<void> {
  if (key === undefined) return;
  if (!(await hasKeys(tx)))
    await tx.query(
      sql`alter table supabase_migrations.schema_migrations add column if not exists idempotency_key text unique`,
    );
  await tx.query(
    sql`update supabase_migrations.schema_migrations set idempotency_key = ${key} where version = ${version}`,
  );
}

async function findByKey(db: Queryable, key: string | undefined): Promise<RecordedNew | undefined> {
  if (key === undefined || !(await hasKeys(db))) return undefined;
  const [row] = await db.query<{ version: string; name: string }>(sql`
    select version, coalesce(name, '') as name from supabase_migrations.schema_migrations
    where idempotency_key = ${key}`);
  return row && { ...row, file: undefined };
}

async function hasKeys(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>(sql`
    select exists (
      select from pg_catalog.pg_attribute
      where attrelid = pg_catalog.to_regclass('supabase_migrations.schema_migrations')
        and attname = 'idempotency_key' and not attisdropped) as has`);
  return row?.has === true;
}
