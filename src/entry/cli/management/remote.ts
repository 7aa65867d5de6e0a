/**
 * The Plinth server that `link URL` saved in `.plinth/remote.json` (mode 0600). The file contains the access token,
 * unless the token is set in an environment variable.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import { shellEnvironment } from '../../../platform/config/index.ts';
import { CommandError } from '../errors.ts';
import type { ProjectLocation } from '../project-location.ts';
import { ensureDataDir } from '../state.ts';

export interface Remote {
  /** The Console's origin. */
  readonly url: string;
  readonly ref: string;
  readonly name: string;
  /** Undefined if the token is read from the environment. */
  readonly token?: string | undefined;
}

const fileOf = ({ dataDir }: ProjectLocation): string => join(dataDir, 'remote.json');

export function readRemote(location: ProjectLocation): Remote | undefined {
  const file = fileOf(location);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Remote;
  } catch {
    throw new CommandError(`${file} is damaged.`, 'Run "plinth link URL" again.');
  }
}

export function writeRemote(location: ProjectLocation, remote: Remote): void {
  ensureDataDir(location.dataDir);
  replaceFile(fileOf(location), `${JSON.stringify(remote, null, 2)}\n`);
}

/** Removes the link. Returns false if no server was linked. */
export function removeRemote(location: ProjectLocation): boolean {
  const found = existsSync(fileOf(location));
  rmSync(fileOf(location), { force: true });
  return found;
}

/** Returns the access token from the environment, if set. */
export function tokenInEnvironment(): string | undefined {
  const { PLINTH_ACCESS_TOKEN, SUPABASE_ACCESS_TOKEN } = shellEnvironment();
  return PLINTH_ACCESS_TOKEN || SUPABASE_ACCESS_TOKEN || undefined;
}
