/** The routes for the backup status, the base backups at the backup target, and verifications. */
import type {
  BackupEntry,
  Backups as BackupService,
  BackupStatus,
  VerificationRecord,
  Verifications,
} from '../../../operations/backup/index.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { BackupsOverview, Verification } from './contract.ts';

/** The functions for backups that an operator creates in the data folder. */
export interface LocalBackups {
  readonly folder: string;
  readonly keyFile: string;
  readonly isRunning: boolean;
  readonly ended: number;
  readonly error: string | undefined;
  run(): Promise<unknown>;
  list(): Promise<readonly BackupEntry[]>;
}

export interface BackupDeps {
  /** Undefined if no backup target is configured or the project uses an external database server. */
  readonly backups: Pick<BackupService, 'run' | 'list' | 'status'> | undefined;
  /** Backups in the data folder, in development. */
  readonly localBackups: LocalBackups | undefined;
  readonly verifications: Pick<Verifications, 'start' | 'progress' | 'last'> | undefined;
  readonly database: { readonly info: { readonly embedded: boolean } };
  readonly config: LiveConfig;
  readonly audit: Audit;
}

export function backupRoutes(
  api: Api,
  { backups, localBackups: local, verifications, database, config, audit }: BackupDeps,
): void {
  const route = api.feature(() => import('./contract.ts'));
  const missing = backups !== undefined ? null : database.info.embedded ? 'target' : 'external';

  function configured<Part>(part: Part | undefined): Part {
    if (part === undefined) throw new ConsoleError('refused', { message: 'No backup target is configured.' });
    return part;
  }

  route('GET /backups', 'read', async () => ({
    missing,
    overview:
      backups === undefined || verifications === undefined
        ? null
        : overviewOf(backups.status(), verifications, config.current.plinth.backup),
    local:
      local === undefined
        ? null
        : {
            folder: local.folder,
            keyFile: local.keyFile,
            running: local.isRunning,
            ended: local.ended,
            problem: local.error ?? null,
          },
  }));
  route('GET /backups/list', 'read', async () => {
    const entries = await configured<Pick<LocalBackups, 'list'>>(backups ?? local)
      .list()
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        throw new ConsoleError('refused', { message: `Couldn't list the backups. ${message}` });
      });
    return {
      backups: entries.toReversed().map((entry) => ({
        id: entry.id,
        startedAt: timeText(entry.startedAtMs),
        durationMs: entry.endedAtMs - entry.startedAtMs,
        sizeBytes: entry.sizeBytes,
        storedBytes: entry.storedBytes,
        oldestRecoverable: timeText(entry.endedAtMs),
        newestRecoverable: timeText(entry.newestMs),
      })),
    };
  });
  route('POST /backups/run', 'write', async (call) => {
    const service = configured<Pick<LocalBackups, 'run'>>(backups ?? local);
    await audit(call, 'backup.run', '');
    // The handler doesn't wait for the backup, because a base backup can take minutes. The backup status contains the
    // result.
    service.run().catch(() => undefined);
  });
  route('POST /backups/verify', 'write', async (call) => {
    if (!configured(verifications).start())
      throw new ConsoleError('refused', { message: 'A check is already running.' });
    await audit(call, 'backup.verify', '');
  });
}

function overviewOf(
  status: BackupStatus,
  verifications: Pick<Verifications, 'progress' | 'last'>,
  { wal, keep }: { readonly wal: boolean; readonly keep: number },
): BackupsOverview {
  const last = verifications.last();
  return {
    target: status.to ?? '',
    archivesWal: wal,
    keepMs: keep,
    running: status.running,
    newestRecoverable: timeOrNull(status.newestRecoverableMs),
    lastStartedAt: timeOrNull(status.lastBackup?.startedAtMs),
    nextAt: timeOrNull(status.nextMs),
    overdue: status.overdue,
    problem: status.error ?? null,
    verification: {
      step: verifications.progress() ?? null,
      last: last === undefined ? null : verificationOf(last),
    },
  };
}

const verificationOf = ({ startedMs, endedMs, report, error }: VerificationRecord): Verification => ({
  endedAt: timeText(endedMs),
  durationMs: endedMs - startedMs,
  problems: report?.problems ?? [error ?? ''],
  checked:
    report === undefined
      ? null
      : {
          backup: report.backup,
          tables: report.tables,
          rows: report.rows,
          objects: report.objects,
          newestAgeMs: report.newestAgeMs,
        },
});

const timeText = (timeMs: number): string => new Date(timeMs).toISOString();
const timeOrNull = (timeMs: number | undefined): string | null =>
  timeMs === undefined || !Number.isFinite(timeMs) ? null : timeText(timeMs);
