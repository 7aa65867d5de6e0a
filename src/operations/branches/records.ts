/**
 * The records of branches. Each branch has a folder below the data folder, which contains its record, its project folder
 * and its data folder. Records are files because a branch exists only on the machine whose disk contains its data.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { BranchError, branchesFolder, mainBranch } from '../../base/shared/branches.ts';

/** Upstream's states of a branch. */
export type BranchStatus =
  | 'CREATING_PROJECT'
  | 'RUNNING_MIGRATIONS'
  | 'MIGRATIONS_PASSED'
  | 'MIGRATIONS_FAILED'
  | 'FUNCTIONS_DEPLOYED'
  | 'FUNCTIONS_FAILED';

export interface BranchRecord {
  readonly id: string;
  /** The branch's project ref. */
  readonly ref: string;
  readonly name: string;
  /** The branch of the Git repository that this branch belongs to. */
  readonly gitBranch?: string | undefined;
  readonly createdBy: string;
  /** Times are in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastUsedAt: number;
  readonly withData: boolean;
  readonly isMasked: boolean;
  /** The time of the backup from which the branch was restored, in ISO 8601. */
  readonly fromTime?: string | undefined;
  /** Whether the branch is kept although it isn't used. */
  readonly isPersistent: boolean;
  readonly status: BranchStatus;
  readonly problem?: string | undefined;
  readonly ports: BranchPorts;
  /** The names of the operators who have opened the branch's Console, in which they have a session. */
  readonly operators?: readonly string[] | undefined;
}

export interface BranchPorts {
  readonly api: number;
  readonly console: number;
  readonly database: number;
}

export interface BranchFolders {
  readonly home: string;
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  readonly dataDir: string;
}

export function foldersOf(dataDir: string, ref: string): BranchFolders {
  const home = join(dataDir, branchesFolder, ref);
  return { home, projectDir: join(home, 'project'), dataDir: join(home, 'data') };
}

const recordFile = 'branch.json';

export const newId = (): string => randomUUID();

/** @throws {BranchError} name_invalid, name_reserved */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9][\w./-]{0,99}$/.test(name)) throw new BranchError('name_invalid');
  if (name === mainBranch) throw new BranchError('name_reserved');
}

/** Returns the readable records, oldest first. */
export function readRecords(dataDir: string): BranchRecord[] {
  const folder = join(dataDir, branchesFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
    .sort((a, b) => a.createdAt - b.createdAt);
}

function readRecord(home: string): BranchRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(home, recordFile), 'utf8')) as BranchRecord;
  } catch {
    return undefined;
  }
}

export function writeRecord(dataDir: string, record: BranchRecord): void {
  const { home } = foldersOf(dataDir, record.ref);
  makeFolder(home);
  replaceFile(join(home, recordFile), `${JSON.stringify(record, null, 2)}\n`);
}

const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });

/**
 * Removes a branch with its data. The record is removed first, so that a branch whose removal is interrupted isn't listed
 * anymore. The removal of many files doesn't block the project's server.
 */
export async function removeBranch(dataDir: string, ref: string): Promise<void> {
  const { home } = foldersOf(dataDir, ref);
  rmSync(join(home, recordFile), { force: true });
  await removeTree(home);
}

const removedPrefix = 'removed-';

/** Removes the data of a branch, whose project folder stays. */
export async function removeData({ dataDir, home }: BranchFolders): Promise<void> {
  // A rename is immediate, so an interruption leaves either all of the data or none of it.
  if (existsSync(dataDir)) await rename(dataDir, join(home, `${removedPrefix}${randomUUID()}`));
  await clearRemoved(home);
}

async function clearRemoved(home: string): Promise<void> {
  if (!existsSync(home)) return;
  for (const name of readdirSync(home))
    if (name.startsWith(removedPrefix)) await removeTree(join(home, name));
}

/**
 * Removes what an interrupted creation or removal has left: folders without a record, and data that was about to be
 * removed. A record that can't be read may be readable again later, so its branch stays on the disk.
 */
export async function removeLeftovers(dataDir: string): Promise<void> {
  const folder = join(dataDir, branchesFolder);
  if (!existsSync(folder)) return;
  const homes = readdirSync(folder);
  // A branch that is created in the meantime has no record yet.
  const unrecorded = homes.filter((name) => !existsSync(join(folder, name, recordFile)));
  for (const name of unrecorded) await removeBranch(dataDir, name);
  for (const name of homes) await clearRemoved(join(folder, name));
}

/** If this process runs as root, PostgreSQL's user must be able to enter the folder, but not to list it. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
