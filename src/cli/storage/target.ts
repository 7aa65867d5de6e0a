/** The storage service that a command uses. */
import type { Input, Option } from '../command.ts';
import { UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import type { ProjectLocation } from '../project-location.ts';

export interface StorageTarget {
  /** The URL of the API, such as `http://127.0.0.1:54321`. */
  readonly apiUrl: string;
  /** A service role key or a secret key. */
  readonly serviceKey: string;
}

export const storageTargetOptions = {
  local: { type: 'boolean', help: 'Uses Plinth in this folder (default).' },
  linked: { type: 'boolean', help: 'Uses the linked project.' },
} as const satisfies Record<string, Option>;

/** @throws {CommandError} if Plinth isn't running or the storage service is disabled */
export async function storageTargetOf(location: ProjectLocation, input: Input): Promise<StorageTarget> {
  if (input.flag('local') && input.flag('linked'))
    throw new UsageError("--local and --linked can't be used together");
  return input.flag('linked') ? linkedTarget() : await localTarget(location);
}

async function localTarget({ dataDir }: ProjectLocation): Promise<StorageTarget> {
  const running = await findRunning(dataDir);
  if (running === undefined) throw notRunning();
  const status = await running.call<Record<string, string | undefined>>('status');
  const { API_URL, SERVICE_ROLE_KEY, STORAGE_S3_URL } = status;
  if (API_URL === undefined || SERVICE_ROLE_KEY === undefined || STORAGE_S3_URL === undefined)
    throw new CommandError('The storage service is disabled.', 'Set [storage] enabled in config.toml.');
  return { apiUrl: API_URL, serviceKey: SERVICE_ROLE_KEY };
}

/** A link contains only a database so far, which has no storage service. */
function linkedTarget(): StorageTarget {
  throw new CommandError(
    "The link has no API URL, so its storage can't be reached.",
    'Use Plinth in this folder, or the upstream CLI for a hosted project.',
  );
}
