/** Returns the settings stored in the database. Some of these settings contain the project's secrets. */

import type { Machine } from '../../base/shared/machine.ts';
import type { Config } from '../../platform/config/index.ts';
import type { DatabaseOptions } from '../../platform/database/index.ts';
import type { Setting } from '../../platform/database/types.ts';
import { type KeyStore, publicJwtSecrets } from '../../platform/keys/index.ts';

interface DatabaseSettingsOptions {
  readonly mode: 'development' | 'production';
  /** The number of processes that serve requests. Defaults to 1. */
  readonly workers?: number | undefined;
  readonly machine: Machine;
  /** Whether the data is a copy whose original may be in use. */
  readonly isCopy?: boolean;
}

/**
 * Returns the database settings. Every role can read these settings, so they include the JWT secret only if this secret
 * is already public or the project has enabled `jwt_secret_setting`.
 */
export function databaseSettings(
  config: Config,
  keys: KeyStore,
  { mode, workers = 1, machine, isCopy = false }: DatabaseSettingsOptions,
): Pick<DatabaseOptions, 'dbSettings' | 'databaseSettings' | 'withheldSettings'> {
  const dbSettings = {
    ...memorySettings(machine.memoryBytes, mode),
    ...settingsForWorkers(workers, machine),
    ...definedOf(config.db.settings),
    // The original server may use the slots of the same subscriptions.
    ...(isCopy ? { max_logical_replication_workers: 0 } : {}),
  };
  const isKnown = mode === 'development' && keys.wellKnown.includes('auth.jwt_secret');
  const secret: Setting = ['app.settings.jwt_secret', keys.jwtSecret];
  const settings: Setting[] = [['app.settings.jwt_exp', String(config.auth.jwt_expiry)]];
  if (isKnown || config.plinth.database.jwt_secret_setting)
    return { dbSettings, databaseSettings: [...settings, secret] };
  const withheld = [keys.jwtSecret, ...publicJwtSecrets].map((value): Setting => [secret[0], value]);
  return { dbSettings, databaseSettings: settings, withheldSettings: withheld };
}

/** The number of additional connections for each worker, including the worker that a rolling restart adds. */
const connectionsPerWorker = 12;

const settingsForWorkers = (workers: number, { memoryBytes }: Machine): Record<string, number> =>
  workers === 1
    ? {}
    : { max_connections: maxConnectionsOf(memoryBytes) + connectionsPerWorker * (workers + 1) };

export function definedOf<T>(record: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, T] => entry[1] !== undefined),
  );
}

const mib = 1024 ** 2;
/** The amount of memory from which the default settings are suitable. */
const enoughBytes = 2048 * mib;

/**
 * Returns settings for postgresql.conf that are suitable for the memory of this machine or container. PostgreSQL uses
 * its defaults for settings that aren't in the result.
 *
 * With 512 MiB, PostgreSQL may use a quarter of the memory. With 2 GiB or more, the settings that affect query plans
 * are the same as in the local stack. In production, larger machines get larger `shared_buffers` and
 * `maintenance_work_mem`.
 */
export function memorySettings(
  memoryBytes: number,
  mode: 'development' | 'production',
): Readonly<Record<string, string | number>> {
  const part = (divisor: number, minMb: number, maxMb: number): string =>
    `${between(minMb, Math.floor(memoryBytes / divisor / mib), maxMb)}MB`;
  if (memoryBytes >= enoughBytes) {
    return mode === 'development'
      ? {}
      : {
          shared_buffers: part(32, 64, 512),
          maintenance_work_mem: part(32, 64, 512),
          // This value is fixed because several autovacuum workers can run at the same time.
          autovacuum_work_mem: '64MB',
        };
  }
  return {
    shared_buffers: part(32, 16, 64),
    work_mem: part(512, 1, 4),
    maintenance_work_mem: part(32, 16, 64),
    logical_decoding_work_mem: part(32, 16, 64),
    max_connections: maxConnectionsOf(memoryBytes),
  };
}

const defaultMaxConnections = 100;

/**
 * Returns the maximum number of connections. A busy PostgreSQL session uses about 8 MiB. The minimum is enough for
 * Plinth's own sessions and a few other sessions.
 */
const maxConnectionsOf = (memoryBytes: number): number =>
  between(60, Math.floor(memoryBytes / (8 * mib)), defaultMaxConnections);

const between = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));
