/** Moves a whole project from one server to another: definitions, rows, secrets, jobs, objects and functions. */

export { MigrateError, type MigrateErrorCode, migrateErrors } from './errors.ts';
export type { ManagementAccess } from './functions/management-api.ts';
export { deployFunctions, downloadFunctions, type FunctionsReport } from './functions/transfer.ts';
export { isSignedWith } from './notes.ts';
export { type CheckReport, checkTransfer } from './plans.ts';
export { exportToFiles, type FilesReport } from './to-files.ts';
export { transfer } from './transfer.ts';
export type { EndOptions, Report, StorageAccess, TableReport, TransferOptions } from './types.ts';
export { type VerifyOptions, type VerifyReport, verify } from './verify.ts';
