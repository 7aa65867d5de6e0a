/** Determines whether the server is ready, based on the state of the services, their dependencies and the disk. */

import type { Health, HealthCheck, Service } from '../../base/kernel/service.ts';
import type { BackupStatus, Backups } from '../../operations/backup/index.ts';
import type { Finding } from '../../platform/database/types.ts';
import type { Tls } from '../tls/index.ts';
import type { ApiWorkers } from './api-workers.ts';
import type { Configuration } from './configuration.ts';
import { copyHealth } from './copy.ts';
import { createDiskGuard, type DiskGuard } from './disk-guard.ts';
import type { BackendParts } from './parts.ts';

export const sendsNoMail = ({ live, mode }: BackendParts): boolean => {
  const { auth } = live.current;
  return mode === 'production' && auth.enabled && !auth.email.smtp.enabled;
};

export const noMailServer =
  'No SMTP server is configured ([auth.email.smtp]), so emails are only captured and never sent.';

export function watchDisk({ live, database, dataDir, log }: BackendParts): DiskGuard {
  return createDiskGuard({
    dir: dataDir,
    reservedBytes: () => live.current.plinth.database.reserved_space,
    onChange: async (isFull) => {
      if (database.info.embedded) await database.setReadOnly(isFull);
    },
    log: log.child({ service: 'disk' }),
  });
}

/** Returns the problem of each service by the service's name, or undefined for a healthy service. */
export const healthOf = (services: readonly Service[]): Record<string, string | undefined> =>
  Object.fromEntries(services.map((service) => [service.name, service.health?.()]));

export interface HealthSources {
  readonly disk: DiskGuard;
  readonly backups: Backups | undefined;
  readonly tls: Tls | undefined;
  readonly configuration: Configuration | undefined;
  readonly apiWorkers: Pick<ApiWorkers, 'health'> | undefined;
}

/**
 * The checks whose failure means that every request fails. All other checks affect one service or operators, and their
 * failure makes the server degraded.
 */
export const essentialChecks: ReadonlySet<string> = new Set(['database', 'workers']);

/** Returns the health checks of the services and of their dependencies. Services without a check are omitted. */
export function checksOf(
  parts: BackendParts,
  services: readonly Service[],
  { disk, backups, tls, configuration, apiWorkers }: HealthSources,
): Record<string, HealthCheck> {
  const ofServices = services.flatMap(({ name, check }) =>
    check === undefined ? [] : [[name, check] as const],
  );
  const { database, isCopy } = parts;
  return {
    database: async () => {
      await database.checkReachable();
      return limitsOf(await database.findings());
    },
    ...(parts.mode === 'production' && parts.config.auth.enabled
      ? {
          mail: async () =>
            sendsNoMail(parts) ? { status: 'degraded', message: noMailServer } : { status: 'ok' },
        }
      : {}),
    ...Object.fromEntries(ofServices),
    ...(isCopy && parts.branch === undefined ? { copy: async () => copyHealth } : {}),
    disk: async () => disk.health(),
    ...(backups === undefined ? {} : { backup: async () => backupHealth(backups.status()) }),
    ...(tls === undefined ? {} : { tls: async () => tls.health() }),
    ...(configuration === undefined ? {} : { settings: async () => configuration.health() }),
    ...(apiWorkers === undefined ? {} : { workers: async () => apiWorkers.health() }),
  };
}

/**
 * Returns the limitations of an external database server. The limitations affect some features, but requests still
 * succeed.
 */
export function limitsOf(findings: readonly Pick<Finding, 'status' | 'check'>[]): Health {
  const limited = findings.filter(({ status }) => status !== 'ok').map(({ check }) => check);
  return limited.length === 0
    ? { status: 'ok' }
    : {
        status: 'degraded',
        message: `Some features are limited because these checks of the database server failed: ${limited.join(', ')}. "plinth doctor --database-url URL" and the Console explain how to fix them.`,
      };
}

/** Reports a problem with backups as `degraded`, because requests still succeed. */
export function backupHealth({ error, overdue }: Pick<BackupStatus, 'error' | 'overdue'>): Health {
  if (error !== undefined)
    return {
      status: 'degraded',
      message:
        'Backups are failing, or the archive is more than a minute behind. For the reason, see the log.',
    };
  return overdue
    ? { status: 'degraded', message: 'A scheduled base backup is more than an hour late.' }
    : { status: 'ok' };
}
