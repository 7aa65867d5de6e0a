/**
 * The journal of an upgrade. The data folder contains the old cluster under its usual name until the new cluster is
 * complete. When the new cluster is complete, two renames exchange the clusters, and the journal makes the exchange
 * atomic. Until the journal's state is `swapping`, the old cluster is unchanged. Once the state is `swapping`, every
 * start first completes the renames.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../../../../base/kernel/replace-file.ts';

export interface UpgradeJournal {
  /**
   * In the step `building`, the new cluster can be discarded. In the step `swapping`, the new cluster is complete and
   * on disk.
   */
  readonly step: 'building' | 'swapping';
  readonly from: number;
  readonly to: number;
}

const journalFile = (dataDir: string): string => join(dataDir, 'upgrade.json');

/** Returns the journal of an interrupted upgrade, or undefined if no upgrade was interrupted. */
export function readJournal(dataDir: string): UpgradeJournal | undefined {
  try {
    return JSON.parse(readFileSync(journalFile(dataDir), 'utf8')) as UpgradeJournal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the journal and flushes it to disk. */
export function writeJournal(dataDir: string, journal: UpgradeJournal): void {
  const draft = `${journalFile(dataDir)}.tmp`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(journal)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, journalFile(dataDir));
  syncFolder(dataDir);
}

export function removeJournal(dataDir: string): void {
  rmSync(journalFile(dataDir), { force: true });
  syncFolder(dataDir);
}

export interface UpgradeFolders {
  readonly current: string;
  readonly next: string;
  /** Returns the name that the old cluster's folder has after the upgrade. */
  readonly previous: (major: number) => string;
}

/**
 * Returns the folders of both clusters, which are in the same parent folder. `pgdata` may be a link to a folder outside
 * the data folder.
 */
export function upgradeFolders(pgdata: string): UpgradeFolders {
  const isLink = lstatSync(pgdata, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  // Between the two renames, the link's target doesn't exist.
  const current = isLink ? resolve(dirname(pgdata), readlinkSync(pgdata)) : pgdata;
  const home = dirname(current);
  return {
    current,
    next: join(home, 'postgres.new'),
    previous: (major) => join(home, `postgres.old-${major}`),
  };
}

/** Completes an exchange that was interrupted. The caller holds the lock of the data folder. */
export function finishSwap(dataDir: string, pgdata: string): void {
  const journal = readJournal(dataDir);
  if (journal?.step !== 'swapping') return;
  swap(pgdata, journal.from);
  removeJournal(dataDir);
}

/** Exchanges the folders. Each step depends only on which folders exist, so an interrupted exchange can be repeated. */
export function swap(pgdata: string, from: number, onStep: (name: string) => void = () => {}): void {
  const { current, next, previous } = upgradeFolders(pgdata);
  if (!existsSync(next)) return;
  if (existsSync(current)) renameSync(current, previous(from));
  syncFolder(dirname(current));
  onStep('old-renamed');
  renameSync(next, current);
  syncFolder(dirname(current));
  onStep('new-renamed');
}
