/** The branch that was selected with `branch switch`, which the file `branch.json` in the data folder contains. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import type { ProjectLocation } from './project-location.ts';

export interface SwitchedBranch {
  readonly name: string;
  readonly ref: string;
  /** The Console's origin of the linked server that has the branch. Undefined for the server in this folder. */
  readonly server?: string | undefined;
}

const fileOf = ({ dataDir }: Pick<ProjectLocation, 'dataDir'>): string => join(dataDir, 'branch.json');

/**
 * Returns the selected branch of a server. `server` is the Console's origin of the linked server, or undefined for the
 * server in this folder. Returns undefined if no branch or a branch of another server is selected.
 */
export function switchedBranch(
  location: Pick<ProjectLocation, 'dataDir'>,
  server: string | undefined,
): SwitchedBranch | undefined {
  const file = fileOf(location);
  if (!existsSync(file)) return undefined;
  const branch = JSON.parse(readFileSync(file, 'utf8')) as SwitchedBranch;
  return branch.server === server ? branch : undefined;
}

/** Selects a branch, or the project itself if `branch` is undefined. */
export function writeSwitch(
  location: Pick<ProjectLocation, 'dataDir'>,
  branch: SwitchedBranch | undefined,
): void {
  if (branch === undefined) rmSync(fileOf(location), { force: true });
  else replaceFile(fileOf(location), `${JSON.stringify(branch, null, 2)}\n`);
}
