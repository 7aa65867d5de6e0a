/**
 * The list of running projects for `stop --all` and `status --all`. For each project, the user's state folder contains
 * a file without secrets. The file records only the project's ID, its folders and the process ID. A project counts as
 * running only if it has a state file and its process proves that it knows the token in this file.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { printable } from '../../base/shared/printable.ts';
import { isAlive } from '../../base/shared/run-folder.ts';
import { type Config, shellEnvironment } from '../../platform/config/index.ts';
import { findRunning, type Running } from './control.ts';
import { CommandError } from './errors.ts';
import { readState } from './state.ts';

interface ProjectEntry {
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

/**
 * Returns the error to report if a port is in use, with the setting of this port and the project that uses it. Returns
 * all other errors unchanged.
 */
export async function explainPortConflict(error: unknown, config: Config): Promise<unknown> {
  const port = portInUse(error);
  if (port === undefined) return error;
  const setting = settingOf(port, config);
  const other = await projectUsing(port);
  if (setting === undefined || other === undefined) {
    if (setting === undefined) return error;
    const { message } = error as Error;
    return new CommandError(message, `The setting is ${setting} in supabase/config.toml.`);
  }
  const project = printable(`${other.projectId} (${other.projectDir})`);
  return new CommandError(
    `Port ${port} is in use by another Plinth project: ${project}.`,
    `To run both projects, set a different ${setting} in supabase/config.toml, or use --port 0 to use free ports for all services.`,
    `To stop the other project, run "plinth stop --project-id ${printable(other.projectId)}".`,
  );
}

/** Returns the port from the error of Node or of the embedded database. */
function portInUse(error: unknown): number | undefined {
  const { code, port, details } = error as { code?: string; port?: number; details?: { port?: number } };
  if (code === 'EADDRINUSE') return port;
  return code === 'port_taken' ? details?.port : undefined;
}

function settingOf(port: number, config: Config): string | undefined {
  const settings: readonly (readonly [string, number | undefined])[] = [
    ['[api] port', config.api.port],
    ['[db] port', config.db.port],
    ['[studio] port', config.studio.port],
    ['[local_smtp] port', config.local_smtp.port],
    ['[local_smtp] smtp_port', config.local_smtp.smtp_port],
  ];
  return settings.find(([, value]) => value === port)?.[0];
}

async function projectUsing(port: number) {
  for (const project of await runningProjects()) {
    const status = await project.running.call<Record<string, string>>('status').catch(() => ({}));
    if (Object.values(status).some((value) => portOf(value) === port)) return project;
  }
  return undefined;
}

function portOf(value: string): number | undefined {
  return URL.canParse(value) ? Number(new URL(value).port) || undefined : undefined;
}

interface User {
  readonly os: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the path to the state folder according to the operating system's conventions. An absolute XDG_STATE_HOME
 * takes precedence on every system.
 *
 * @example stateFolder({ os: 'linux', home: '/home/ada', env: {} }); // '/home/ada/.local/state/plinth'
 */
export function stateFolder({ os, home, env }: User): string {
  const { join, isAbsolute } = os === 'win32' ? win32 : posix;
  // According to the XDG specification, a relative path is invalid and must be ignored.
  const chosen = env.XDG_STATE_HOME;
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'plinth');
  if (os === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'plinth', 'State');
  if (os === 'darwin') return join(home, 'Library', 'Application Support', 'plinth');
  return join(home, '.local', 'state', 'plinth');
}
