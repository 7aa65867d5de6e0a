/**
 * Determines the server whose functions and secrets a command manages: the server that runs in this folder, or the
 * linked server.
 */
import { isAccessToken } from '../../../base/shared/access-token.ts';
import { type Input, type Option, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { localClient, type ManagementClient, remoteClient } from './client.ts';
import { readRemote, tokenInEnvironment } from './remote.ts';

export const serverOptions = {
  local: { type: 'boolean', help: 'Uses the running Plinth in this folder (default).' },
  linked: { type: 'boolean', help: 'Uses the linked Plinth server.' },
  'project-ref': {
    type: 'string',
    value: 'REF',
    help: 'Uses the linked Plinth server, which must have this project ref.',
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
  return await localClient(running);
}

/**
 * Returns a client for the linked server.
 *
 * @throws {CommandError} if no server is linked, or if the linked server's project ref is different from `ref`
 */
export function linkedClient(location: ProjectLocation, ref: string | undefined): ManagementClient {
  const remote = readRemote(location);
  if (remote === undefined)
    throw new CommandError(
      'No Plinth server is linked.',
      'Run "plinth link URL" with the URL of its Console.',
    );
  if (ref !== undefined && ref !== remote.ref)
    throw new CommandError(
      `The linked server ${remote.url} has the project ref ${remote.ref}, not ${ref}.`,
      'Run "plinth link URL" to link another server. For a hosted project, use the upstream CLI.',
    );
  const token = tokenInEnvironment() ?? remote.token;
  if (token === undefined)
    throw new CommandError(
      'No access token is available.',
      'Set PLINTH_ACCESS_TOKEN, or run "plinth link URL" to save a token.',
    );
  if (!isAccessToken(token)) throw new CommandError(invalidToken);
  return remoteClient({ url: remote.url, ref: remote.ref, token });
}

export const invalidToken = 'Invalid access token format. Must be like `sbp_0102...1920`.';
