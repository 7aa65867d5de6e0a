/**
 * The state file of a running Plinth, `.plinth/state.json` (mode 0600). Other commands use this file to find the
 * process.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface State {
  readonly pid: number;
  readonly mode: 'development' | 'production';
  readonly startedAt: string;
  readonly projectDir: string;
  /** The control server's port on the loopback address. `token` is the control server's token. */
  readonly controlPort: number;
  readonly token: string;
}

const fileOf = (dataDir: string) => join(dataDir, 'state.json');

/** Creates the data folder if necessary, and excludes the folder from Git. */
export function ensureDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 });
}

export function writeState(dataDir: string, state: State): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Returns the state, or undefined if the state file doesn't exist. The process may have been killed, so only a response
 * from the process proves that it is running.
 */
export function readState(dataDir: string): State | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as State;
  } catch {
    return undefined;
  }
}

/** Removes the state file if it contains this token, which identifies the process that wrote the file. */
export function removeState(dataDir: string, token: string): void {
  if (readState(dataDir)?.token === token) rmSync(fileOf(dataDir), { force: true });
}
