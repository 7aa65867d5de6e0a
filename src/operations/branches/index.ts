/**
 * The files and data of branches, which are copies of a project. Decision 123 explains what a branch shares with its
 * project.
 */
export { adoptRestored, type BranchSource, copyCode, copyData } from './copy.ts';
export type { MaskedColumns } from './mask.ts';
export {
  type BranchFolders,
  type BranchPorts,
  type BranchRecord,
  type BranchStatus,
  checkName,
  foldersOf,
  newId,
  readRecords,
  removeBranch,
  removeData,
  removeLeftovers,
  writeRecord,
} from './records.ts';
