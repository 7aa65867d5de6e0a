/** Returns the settings stored in the database. Some of these settings contain the project's secrets. */

import type { Machine } from '../../base/shared/machine.ts';
import type { Config } from '../../platform/config/index.ts';
import type { DatabaseOptions } from '../../platform/database/index.ts';
import type { Setting } from '../../platform/database/types.ts';
import { type KeyStore, publicJwtSecrets } from '../../platform/keys/index.ts';
import { maxConnectionsOf, memorySettings } from './memory-settings.ts';

interface DatabaseSettingsOptions {
  readonly mode: 'development' | 'production';
  /** The number of processes that serve requests. Defaults to 1. */
  readonly workers?: number | undefined;
  readonly machine: Machine;
}

/**
 * Returns the database settings. Every role can read these settings, so they include the JWT secret only if this secret
 * is already public or the project has enabled `jwt_secret_setting`.
 */
export function databaseSettings(
  config: Config,
  keys: KeyStore,
  { mode, workers = 1, machine }: DatabaseSettingsOptions,
): Pick<DatabaseOptions, 'dbSettings' | 'databaseSettings' | 'withheldSettings'> {
  const dbSettings = {
    ...memorySettings(machine.memoryBytes, mode),
    ...settingsForWorkers(workers, machine),
    ...definedOf(config.db.settings),
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
