/** Finds the storage service that a command uses. */
import type { Input, Option } from '../command.ts';
import { UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { managementOf } from '../management/target.ts';
import type { ProjectLocation } from '../project-location.ts';

export interface StorageTarget {
  /** The URL of the API, such as `http://127.0.0.1:54321`. */
  readonly apiUrl: string;
  /** A service role key or a secret key. */
  readonly serviceKey: string;
}

export const storageTargetOptions = {
  local: { type: 'boolean', help: 'Uses Plinth in this folder (default).' },
  linked: {
    type: 'boolean',
    help: 'Uses the linked Plinth server. Requires an access token with the owner role.',
  },
} as const satisfies Record<string, Option>;

/**
 * Returns the storage service.
 * @throws {CommandError} if the server isn't available or the storage service is disabled
 */
export async function storageTargetOf(location: ProjectLocation, input: Input): Promise<StorageTarget> {
  if (input.flag('local') && input.flag('linked'))
    throw new UsageError("--local and --linked can't be used together");
  return input.flag('linked') ? await linkedTarget(input) : await localTarget(location);
}

async function localTarget({ dataDir }: ProjectLocation): Promise<StorageTarget> {
  const running = await findRunning(dataDir);
  if (running === undefined) throw notRunning();
  const status = await running.call<Record<string, string | undefined>>('status');
  const { API_URL, SECRET_KEY, STORAGE_S3_URL } = status;
  if (API_URL === undefined || SECRET_KEY === undefined || STORAGE_S3_URL === undefined)
    throw new CommandError('The storage service is disabled.', 'Set [storage] enabled in config.toml.');
  return { apiUrl: API_URL, serviceKey: SECRET_KEY };
}

interface ApiKey {
  readonly name: string;
  readonly api_key: string | null;
}

async function linkedTarget(input: Input): Promise<StorageTarget> {
  const client = await managementOf(input);
  const { api_url: apiUrl } = await client.call<{ readonly api_url?: string }>('getProject');
  const keys = await client.call<readonly ApiKey[]>('listApiKeys', { reveal: true });
  const serviceKey = keys.find(({ name }) => name === 'service_role')?.api_key;
  if (apiUrl === undefined)
    throw new CommandError(`${client.consoleUrl} doesn't report its API URL. Upgrade that server.`);
  if (serviceKey === undefined || serviceKey === null)
    throw new CommandError(
      "The access token can't read the service key, because its operator isn't an owner.",
      'Create a token for an owner with "plinth operators token create NAME" on the server.',
    );
  return { apiUrl, serviceKey };
}
