/**
 * The interface of the backup module.
 *
 * Glossary. *Target*: the folder or bucket for backups. *Base backup*: a copy of the cluster's files. *Archive*: the
 * WAL at the target. *Body*: the bytes of an object version. *Snapshot*: the project folder and key files.
 * *Verification*: a restore whose result is checked and then deleted.
 */

/** A complete base backup. */
export interface BackupEntry {
  readonly id: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The uncompressed size of PostgreSQL's files. */
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly timeline: number;
  /** The newest time to which the database can be restored from this base backup. */
  readonly newestMs: number;
}

export interface BackupStatus {
  /**
   * The path of the target folder or the URL of the bucket, without credentials. Undefined if backups aren't
   * configured.
   */
  readonly to: string | undefined;
  readonly lastBackup: BackupEntry | undefined;
  /** Whether a base backup is running. */
  readonly running: boolean;
  /** All transactions acknowledged before this time can be recovered. */
  readonly newestRecoverableMs: number | undefined;
  /** The time of the next scheduled base backup. */
  readonly nextMs: number | undefined;
  /** Whether a scheduled base backup is more than an hour late. */
  readonly overdue: boolean;
  /** A sentence that describes the current problem. */
  readonly error: string | undefined;
}

export interface VerificationReport {
  readonly backup: string;
  readonly tables: number;
  readonly rows: number;
  readonly objects: number;
  readonly objectBytes: number;
  readonly problems: readonly string[];
  readonly databaseMs: number;
  readonly checkMs: number;
  readonly lastTransactionAt: string | undefined;
  /** The age of the newest recoverable time when the verification began. */
  readonly newestAgeMs: number;
}

/** The result of a verification: a report, or the error that ended the verification. */
export interface VerificationRecord {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly report?: VerificationReport;
  readonly error?: string;
}

/** The journal in which the storage service records the object bodies that it has stored and removed. */
export interface BodyJournal {
  /** Must be called when an object body is durable, before its row is committed. */
  stored(version: string): void;
  /** Must be called after rows have been deleted. The backup removes the object bodies of these rows later. */
  removed(versions: readonly string[]): void;
}

/** Reads and removes the object bodies in storage. */
export interface BodyStore {
  /** Returns the object body, or undefined if it doesn't exist. */
  read(version: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Stores an object body.
   *
   * @param maxBytes at least the size of the object body
   */
  write(version: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void>;
  /** Removes the object bodies of deleted rows. */
  remove(versions: readonly string[]): Promise<void>;
}
