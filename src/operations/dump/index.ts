/** Writes a database to a SQL file (a logical dump), and runs such a file on another database. */

export { type CopiedTable, copyTable, readTable } from './copy-table.ts';
export { isManaged } from './core/selection.ts';
export { quoteIfNeeded } from './core/text.ts';
export { type DumpOptions, type DumpReport, dumpDatabase, sessionSettings } from './dump.ts';
export { DumpError, type DumpErrorCode, dumpErrors } from './errors.ts';
export { largeObjectStatements } from './large-objects.ts';
export { type MovePlan, type MoveStatement, planMove } from './move.ts';
export { readSequenceValue } from './objects/relation-rows.ts';
export { type CronJobRow, readCronJobs } from './objects/roles.ts';
export { type DumpOutput, fileOutput, streamOutput } from './output.ts';
export { type ProjectPlan, planProject } from './project-plan.ts';
export { readCatalog } from './read-catalog.ts';
export { type RestoreOptions, type RestoreReport, readDumpFile, restoreDump } from './restore.ts';
export type {
  Catalog,
  CatalogObject,
  Comment,
  Dependency,
  ObjectKind,
  SequenceData,
  TableData,
} from './types.ts';
export { objectKinds } from './types.ts';
