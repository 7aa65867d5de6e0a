/**
 * Determines the server whose functions and secrets a command manages: the server that runs in this folder, or the
 * linked server.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import { isAccessToken } from '../../../base/shared/access-token.ts';
import { shellEnvironment } from '../../../platform/config/index.ts';
import { type Input, type Option, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { ensureDataDir } from '../state.ts';
import { switchedBranch } from '../switched-branch.ts';
import { localClient, type ManagementClient, type RemoteTarget, remoteClient } from './client.ts';

export const serverOptions = {
  local: { type: 'boolean', help: 'Uses the running Plinth in this folder (default).' },
  linked: { type: 'boolean', help: 'Uses the linked Plinth server.' },
  'project-ref': {
    type: 'string',
    value: 'REF',
    help: 'Uses the project or branch of the linked Plinth server with this project ref.',
  },
  // The flag with which upstream's CLI 3.1 selects a project.
  remote: { type: 'string', value: '[REF]', help: 'Same as --linked or --project-ref.', hidden: true },
} as const satisfies Record<string, Option>;

/** Returns a client for the server selected by the options. @throws {UsageError} if options contradict each other */
export async function managementOf(input: Input): Promise<ManagementClient> {
  const location = locationOf(input);
  const ref = input.text('project-ref') || input.text('remote') || undefined;
  const isRemote = input.flag('linked') || ref !== undefined || input.text('remote') !== undefined;
  if (isRemote && input.flag('local')) throw new UsageError("--local can't be used with a linked server");
  if (isRemote) return linkedClient(location, ref);
  const running = await findRunning(location.dataDir);
  if (running === undefined) throw notRunning();
  return await localClient(running, switchedBranch(location, undefined)?.ref);
}

/** Returns a client for the linked server. @throws {CommandError} if no server is linked */
export const linkedClient = (location: ProjectLocation, ref: string | undefined): ManagementClient =>
  remoteClient(linkedServer(location, ref));

/**
 * Returns the linked server with an access token. `ref` is the ref of its project or of a branch. It defaults to the
 * branch that was selected with `branch switch`, and otherwise to the project.
 * @throws {CommandError}
 */
export function linkedServer(location: ProjectLocation, ref?: string): RemoteTarget {
  const remote = readRemote(location);
  if (remote === undefined)
    throw new CommandError(
      'No Plinth server is linked.',
      'Run "plinth link URL" with the URL of its Console.',
    );
  const token = tokenInEnvironment() ?? remote.token;
  if (token === undefined)
    throw new CommandError(
      'No access token is available.',
      'Set PLINTH_ACCESS_TOKEN, or run "plinth link URL" to save a token.',
    );
  if (!isAccessToken(token)) throw new CommandError(invalidToken);
  // The server rejects refs other than those of the project and its branches.
  return { url: remote.url, ref: ref ?? switchedBranch(location, remote.url)?.ref ?? remote.ref, token };
}

export const invalidToken = 'Invalid access token format. Must be like `sbp_0102...1920`.';

interface Remote {
  /** The Console's origin. */
  readonly url: string;
  readonly ref: string;
  readonly name: string;
  /** Undefined if the token is read from the environment. */
  readonly token?: string | undefined;
}

const fileOf = ({ dataDir }: ProjectLocation): string => join(dataDir, 'remote.json');

/**
 * The Plinth server that `link URL` saved in `.plinth/remote.json` (mode 0600). The file contains the access token,
 * unless the token is set in an environment variable.
 */
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
