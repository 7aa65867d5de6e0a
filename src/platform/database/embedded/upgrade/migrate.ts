/** Applies Plinth's numbered SQL files to a new cluster whose rows come from an earlier major version. */
import { type Logger, silentLogger } from '../../../../base/kernel/log.ts';
import { sql } from '../../../../base/kernel/sql.ts';
import { bootstrapSet } from '../../bootstrap-set.ts';
import { readMigrationFiles } from '../../migrate/files.ts';
import { rejectOtherVersions } from '../../migrate/other-versions.ts';
import { applyFiles } from '../../migrate/runner.ts';
import type { MigrationSet } from '../../types.ts';
import { readVersion } from '../../wire/client.ts';
import { Client, type ConnectionOptions } from '../../wire/index.ts';

/**
 * Applies Plinth's SQL files and returns the number of files that hadn't been applied to the old cluster. From the
 * files that had been applied, runs only the statements for newer major versions and the changes to system views.
 */
export async function migrateNewCluster(
  target: ConnectionOptions,
  fromMajor: number,
  sets: readonly MigrationSet[],
  log: Logger = silentLogger,
): Promise<number> {
  const session = await Client.connect(target);
  try {
    const [has] = await session.query<{ ledger: boolean }>(
      sql`select to_regclass('_plinth.migrations') is not null as ledger`,
    );
    const files = readMigrationFiles([bootstrapSet, ...sets]);
    if (has?.ledger === true) {
      await rejectOtherVersions(session, files, 'in the data folder');
      for (const statement of statementsSince(files, fromMajor)) await session.exec(statement);
    }
    const serverVersion = readVersion(session);
    return await applyFiles({ session, serverVersion, log, onProgress: () => {} }, files);
  } finally {
    await session.connection.close();
  }
}

/**
 * Files that change system catalog objects, which aren't moved to the new cluster. These files can be applied
 * repeatedly.
 */
const systemFiles = new Set(['database/0006']);

/**
 * Returns the statements that were skipped on the old PostgreSQL version, and the statements whose results can't be
 * moved to the new cluster.
 */
export function statementsSince(
  files: readonly { readonly module: string; readonly version: string; readonly text: string }[],
  fromMajor: number,
): string[] {
  const isNew = (since: number): boolean => since >= (fromMajor + 1) * 10_000;
  const skipped = files.flatMap(({ text }) =>
    [...text.matchAll(/_plinth\.attempt\('((?:[^']|'')*)', (\d{6})\)/g)]
      .filter(([, , since]) => isNew(Number(since)))
      .map(([, statement = '']) => statement.replaceAll("''", "'")),
  );
  return [
    ...skipped,
    ...files.filter(({ module, version }) => systemFiles.has(`${module}/${version}`)).map(({ text }) => text),
  ];
}
