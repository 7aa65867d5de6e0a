/**
 * The list of running projects for `stop --all` and `status --all`. For each project, the user's state folder contains
 * a file without secrets. The file records only the project's ID, its folders and the process ID. A project counts as
 * running only if it has a state file and its process proves that it knows the token in this file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../base/shared/run-folder.ts';
import { shellEnvironment } from '../../platform/config/index.ts';
import { findRunning, type Running } from './control.ts';
import { stateFolder } from './core/state-folder.ts';
import { readState } from './state.ts';

export interface ProjectEntry {
  readonly pid: number;
  readonly projectId: string;
  readonly projectDir: string;
  readonly dataDir: string;
}

export interface RunningProject extends ProjectEntry {
  readonly running: Running;
}

const folder = (): string =>
  join(stateFolder({ os: process.platform, home: homedir(), env: shellEnvironment() }), 'running');

const fileOf = (dataDir: string): string =>
  join(folder(), `${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}.json`);

/**
 * Adds the project of this process to the list. Ignores errors, because a server must also run without a home folder.
 */
export function registerProject(entry: ProjectEntry): void {
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    removeDead();
    writeFileSync(fileOf(entry.dataDir), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {
    // Without an entry in the list, "plinth stop" and "plinth status" still work in the project folder.
  }
}

/** Removes the entry if it belongs to this process. */
export function unregisterProject(dataDir: string): void {
  if (readEntry(fileOf(dataDir))?.pid === process.pid) rmSync(fileOf(dataDir), { force: true });
}

/**
 * Returns the projects whose processes respond, sorted by ID and folder. Removes the entries of projects that aren't
 * running.
 */
export async function runningProjects(): Promise<RunningProject[]> {
  const found = await Promise.all(
    entryFiles().map(async (file): Promise<RunningProject[]> => {
      const entry = readEntry(file);
      const running = entry && (await findRunning(entry.dataDir));
      if (entry !== undefined && running !== undefined) return [{ ...entry, running }];
      if (isStale(entry)) rmSync(file, { force: true });
      return [];
    }),
  );
  const orderOf = ({ projectId, projectDir }: ProjectEntry) => `${projectId}\0${projectDir}`;
  return found.flat().sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function removeDead(): void {
  for (const file of entryFiles()) if (isStale(readEntry(file))) rmSync(file, { force: true });
}

/**
 * Whether the entry's process has exited. Also compares the process ID with the state file, because another process may
 * now have the same ID.
 */
const isStale = (entry: ProjectEntry | undefined): boolean =>
  entry === undefined || readState(entry.dataDir)?.pid !== entry.pid || !isAlive(entry.pid);

function entryFiles(): string[] {
  try {
    return readdirSync(folder())
      .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
      .map((name) => join(folder(), name));
  } catch {
    return [];
  }
}

function readEntry(file: string): ProjectEntry | undefined {
  try {
    const entry = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProjectEntry>;
    const { pid, projectId, projectDir, dataDir } = entry;
    const areTexts = [projectId, projectDir, dataDir].every((text) => typeof text === 'string');
    return typeof pid === 'number' && areTexts ? (entry as ProjectEntry) : undefined;
  } catch {
    return undefined;
  }
}
