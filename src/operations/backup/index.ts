/**
 * Backs up and restores the embedded PostgreSQL, the object bodies, the project folder and the keys. Decision 46
 * explains the format and the order of operations.
 */
export { listBackups } from './catalog.ts';
export { BackupError, type BackupErrorCode } from './errors.ts';
export { type JournalFiles, openJournal } from './journal.ts';
export type { PruneReport } from './prune.ts';
export { type Restored, type RestoreOptions, restore } from './restore/restore.ts';
export { type Backups, createBackups } from './service.ts';
export { type BackupSettings, openConfigured } from './session.ts';
export type * from './types.ts';
export { createVerifications, recordVerification, type Verifications, verify } from './verification.ts';
