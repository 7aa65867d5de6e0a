/** Queries and search parameters for the Migrations page. */
import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type {
  Drift,
  DriftObject,
  DryRun,
  Migration,
} from '../../../../src/pages/console/migrations/contract.ts';

export interface MigrationsSearch {
  /** The version of the migration that is open in the panel. */
  readonly version?: string;
}

export function validateMigrationsSearch({ version }: Record<string, unknown>): MigrationsSearch {
  // The router parses a version as a number unless it has too many digits.
  return (typeof version === 'string' && version !== '') || typeof version === 'number'
    ? { version: String(version) }
    : {};
}

export const migrationsQuery = queryOptions({
  queryKey: ['migrations'],
  queryFn: ({ signal }) => fetchConsole('GET /migrations', { signal }),
});

export const migrationQuery = (version: string) =>
  queryOptions({
    queryKey: ['migrations', version],
    queryFn: ({ signal }) => fetchConsole('GET /migrations/:version', { params: { version }, signal }),
  });

/** While a comparison or a squash runs, its step is fetched every second. */
export const driftQuery = queryOptions({
  queryKey: ['migrations', 'drift'],
  queryFn: ({ signal }) => fetchConsole('GET /migrations/drift', { signal }),
  refetchInterval: ({ state }) => (state.data?.running == null ? false : 1000),
});

export const findDrift = () => fetchConsole('POST /migrations/drift');

export const saveDrift = (name: string, sql: string, withDown: boolean) =>
  fetchConsole('POST /migrations/drift/save', { body: { name, sql, withDown } });

export const squashMigrations = (version: string) =>
  fetchConsole('POST /migrations/squash', { body: { version } });

export const revertMigration = (version: string) =>
  fetchConsole('POST /migrations/revert', { body: { version } });

export const dryRun = (includeAll: boolean) =>
  fetchConsole('POST /migrations/dry-run', { body: { includeAll } });

export const applyMigrations = (includeAll: boolean) =>
  fetchConsole('POST /migrations/apply', { body: { includeAll } });

export const repairMigration = (version: string, status: 'applied' | 'reverted') =>
  fetchConsole('POST /migrations/repair', { body: { version, status } });
