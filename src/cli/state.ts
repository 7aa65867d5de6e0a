/** What a running Plinth leaves in its data folder so that other commands find it: `.plinth/state.json`, mode 0600. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface State {
  readonly pid: number;
  readonly mode: 'development' | 'production';
  readonly startedAt: string;
  readonly projectDir: string;
  /** Loopback port of the control server, and what opens it. */
  readonly controlPort: number;
  readonly token: string;
}

const fileOf = (dataDir: string) => join(dataDir, 'state.json');

/** Makes the data folder where it is missing, invisible to git. */
export function ensureDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 });
}

export function writeState(dataDir: string, state: State): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined when nothing was left. It may be of a process that was killed: only an answer proves that it runs. */
export function readState(dataDir: string): State | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as State;
  } catch {
    return undefined;
  }
}

/** Only the file of this very process, or of one that is known to be gone. */
export function removeState(dataDir: string, token: string): void {
  if (readState(dataDir)?.token === token) rmSync(fileOf(dataDir), { force: true });
}
