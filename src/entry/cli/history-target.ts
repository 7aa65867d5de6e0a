/**
 * Determines the database whose migration history a command reads or changes: this project's database, another database,
 * or the database of the linked server.
 */
import { join } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import { shellEnvironment } from '../../platform/config/index.ts';
import { openOtherDatabase, type Pool } from '../../platform/database/index.ts';
import {
  type HistoryChange,
  type HistoryRepair,
  ProjectError,
  type RecordedMigration,
  readHistory,
  readMigrationFolder,
  recordedFile,
  recordedMigrations,
  repairHistory,
} from '../../project/folder/index.ts';
import { type Input, type Option, UsageError } from './command.ts';
import { linkedUrl, readLinked } from './linked.ts';
import type { ManagementClient } from './management/client.ts';
import { serverHistory } from './management/push.ts';
import { say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { type MigrationRow, perform } from './remote-calls.ts';

export const historyOptions = {
  local: { type: 'boolean', help: "Uses this project's database (default)." },
  linked: { type: 'boolean', help: 'Uses the linked server or database.' },
  'db-url': { type: 'string', value: 'URL', help: 'Uses another database.' },
  password: {
    type: 'string',
    short: 'p',
    value: 'PASSWORD',
    help: 'Password, if the URL has none. Default: the SUPABASE_DB_PASSWORD environment variable.',
  },
} as const satisfies Record<string, Option>;

/** The database that a command selects. */
export type DatabaseTarget = 'local' | { readonly url: string } | { readonly server: ManagementClient };

/**
 * Returns the database that the options select.
 *
 * @throws {UsageError} if the options contradict each other
 * @throws {CommandError} if nothing is linked
 */
export function databaseTarget(
  location: ProjectLocation,
  input: Input,
  byDefault: 'local' | 'linked' = 'local',
): DatabaseTarget {
  requireOneTarget(input);
  const url = input.text('db-url');
  if (url !== undefined) return { url };
  if (input.flag('local') || (byDefault === 'local' && !input.flag('linked'))) return 'local';
  return linkedTarget(location);
}

/** @throws {CommandError} if nothing is linked */
export function linkedTarget(location: ProjectLocation): Exclude<DatabaseTarget, 'local'> {
  const linked = readLinked(location);
  return 'server' in linked ? linked : { url: linked.database.url };
}

/** @throws {UsageError} if the options select more than one database */
export function requireOneTarget(input: Input): void {
  const named = ['db-url', 'linked', 'local'].filter((name) => input.text(name) !== undefined);
  if (named.length > 1)
    throw new UsageError(`${named.map((name) => `--${name}`).join(' and ')} can't be used together`);
}

/**
 * Returns the URL of the other database, or undefined for this project's database.
 *
 * @throws {UsageError} if the options contradict each other
 * @throws {CommandError} if the linked server is selected
 */
export function otherUrl(location: ProjectLocation, input: Input): string | undefined {
  requireOneTarget(input);
  return input.text('db-url') ?? (input.flag('linked') ? linkedUrl(location) : undefined);
}

export async function withOther<T>(url: string, input: Input, work: (pool: Pool) => Promise<T>): Promise<T> {
  const password = input.text('password') ?? shellEnvironment().SUPABASE_DB_PASSWORD;
  const other = await openOtherDatabase(url, { password, session: 'inspect' });
  try {
    return await work(other.pool);
  } finally {
    await other.stop();
  }
}

const database = { needs: 'database', onProgress: say } as const;

/** Returns the project folder's migrations and those applied to the database. */
export async function historyOf(
  location: ProjectLocation,
  input: Input,
  target: DatabaseTarget,
): Promise<MigrationRow[]> {
  if (target === 'local') return await perform<MigrationRow[]>(location, 'migrationList', {}, database);
  const states =
    'url' in target
      ? await withOther(target.url, input, (pool) => readHistory(pool, location.projectDir))
      : await serverHistory(target.server, join(location.projectDir, 'supabase'));
  return states.map(({ version, file, applied }) => ({
    version,
    name: file?.name ?? '',
    local: file !== undefined,
    applied,
  }));
}

/** Returns the migrations that the database has recorded, as files. */
export async function recordedOf(
  location: ProjectLocation,
  input: Input,
  target: DatabaseTarget,
): Promise<RecordedMigration[]> {
  if (target === 'local')
    return await perform<RecordedMigration[]>(location, 'recordedMigrations', {}, database);
  if ('url' in target) return await withOther(target.url, input, recordedMigrations);
  return (await target.server.call<HistoryChange['applied']>('readHistory')).map(recordedFile);
}

/**
 * Marks versions as applied or as not applied, without running any statement.
 * @throws {ProjectError} `migration_not_found`
 */
export async function repair(
  location: ProjectLocation,
  input: Input,
  target: DatabaseTarget,
  change: HistoryRepair,
): Promise<void> {
  if (target === 'local') await perform(location, 'migrationRepair', { ...change }, database);
  else if ('url' in target)
    await withOther(target.url, input, (pool) => repairHistory(pool, location.projectDir, change));
  else await target.server.call('changeHistory', sentRepair(location, change));
}

function sentRepair({ projectDir }: ProjectLocation, { versions, status, isWhole = false }: HistoryRepair) {
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  const applied =
    status !== 'applied'
      ? []
      : versions.map((version) => {
          const file = files.find((one) => one.version === version);
          if (file === undefined)
            throw new ProjectError('migration_not_found', { version, dir: 'supabase/migrations' });
          return { version, name: file.name, query: readTextFile(file.path) };
        });
  return { applied, reverted: status === 'reverted' ? versions : [], is_whole: isWhole };
}
