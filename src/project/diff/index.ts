/** Compares the schemas of two databases and returns the statements that turn the first schema into the second. */
export { createSchemaComparer, type SchemaComparer } from './comparer.ts';
export { compareSnapshots } from './core/compare.ts';
export type { ObjectDifference } from './core/objects.ts';
export { conceivableRenames } from './core/renames.ts';
export { diffScript } from './core/script.ts';
export { readSnapshotDocument, type SnapshotDocument, snapshotDocument } from './document.ts';
export { DiffError, type DiffErrorCode, diffErrors } from './errors.ts';
export { readSnapshot } from './snapshot.ts';
export { type SquashDatabase, SquashError, squashedText } from './squash.ts';
export type { DiffOptions, DiffStatement, Rename, SchemaDiff, Snapshot } from './types.ts';
