/** The backups page's routes. */
import { json, noContent, type RouteTable } from '../core/contract.ts';

/** A base backup. Times are in ISO 8601, and sizes are in bytes. */
export interface BaseBackup {
  readonly id: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** The total size of PostgreSQL's files before compression. */
  readonly sizeBytes: number;
  readonly storedBytes: number;
  /** The earliest time to which the database can be restored from this base backup. */
  readonly oldestRecoverable: string;
  /** The latest time to which the database can be restored from this base backup. */
  readonly newestRecoverable: string;
}

export interface Verification {
  readonly endedAt: string;
  readonly durationMs: number;
  readonly problems: readonly string[];
  /** Null if the verification failed. */
  readonly checked: {
    readonly backup: string;
    readonly tables: number;
    readonly rows: number;
    readonly objects: number;
    /** The age of the newest state that could be restored when the verification began. */
    readonly newestAgeMs: number;
  } | null;
}

export interface BackupsOverview {
  /** The folder or URL where backups are stored, without the URL's options. */
  readonly target: string;
  /** Whether changes are archived continuously. */
  readonly archivesWal: boolean;
  readonly keepMs: number;
  readonly running: boolean;
  readonly newestRecoverable: string | null;
  readonly lastStartedAt: string | null;
  readonly nextAt: string | null;
  readonly overdue: boolean;
  /** A sentence that describes the current problem with backups. */
  readonly problem: string | null;
  readonly verification: {
    /** The step that the verification is currently at. */
    readonly step: string | null;
    readonly last: Verification | null;
  };
}

export interface LocalBackupsOverview {
  readonly folder: string;
  readonly keyFile: string;
  readonly running: boolean;
  /** The number of backups that have ended since the server started. */
  readonly ended: number;
  readonly problem: string | null;
}

export interface Backups {
  /** `target`: no backup target is configured. `external`: the project uses an external database server. */
  readonly missing: 'target' | 'external' | null;
  readonly overview: BackupsOverview | null;
  /** Backups in the data folder, in development. Null if a backup target is configured or on a server. */
  readonly local: LocalBackupsOverview | null;
}

export const contract = {
  'GET /backups': { response: json<Backups>() },
  /** Returns the base backups, newest first. */
  'GET /backups/list': { response: json<{ readonly backups: readonly BaseBackup[] }>() },
  'POST /backups/run': { response: noContent },
  'POST /backups/verify': { response: noContent },
} as const satisfies RouteTable;
