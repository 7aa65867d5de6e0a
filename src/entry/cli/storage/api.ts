/** A client for the storage service's HTTP API with the requests that the `storage` commands need. */
import { type Input, type Option, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import type { ManagementClient } from '../management/client.ts';
import { managementOf } from '../management/target.ts';
import type { ProjectLocation } from '../project-location.ts';

/** The error that is thrown if the service can't be reached, which means that all other requests would also fail. */
export class StorageUnreachableError extends CommandError {}

/** A response with an error status. */
export class StorageResponseError extends CommandError {
  /** Whether the response means that the bucket or object doesn't exist. */
  readonly isMissing: boolean;
  readonly isDuplicate: boolean;
  readonly status: number;
  constructor(status: number, text: string) {
    const { message, statusCode } = errorOf(text);
    super(`Storage: ${message ?? `the service returned status ${status}`}`);
    this.status = Number(statusCode ?? status);
    this.isMissing = this.status === 404;
    this.isDuplicate = this.status === 409;
  }
}

/**
 * Returns the fields of an error response. The errors of resumable uploads are plain text, and the errors of all other
 * requests are JSON.
 */
function errorOf(text: string): { readonly message?: string; readonly statusCode?: string } {
  try {
    const { message, statusCode } = JSON.parse(text) as { message?: unknown; statusCode?: unknown };
    return {
      ...(typeof message === 'string' ? { message } : {}),
      ...(/^\d{3}$/.test(String(statusCode)) ? { statusCode: String(statusCode) } : {}),
    };
  } catch {
    const line = text.trim().split('\n')[0] ?? '';
    return line === '' || line.startsWith('<') ? {} : { message: line };
  }
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit['body'];
  readonly signal?: AbortSignal | undefined;
}

/** An object, or a folder whose key ends with a slash. */
export interface Entry {
  readonly key: string;
  readonly sizeBytes: number | undefined;
  readonly etag?: string | undefined;
}

interface Page {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly { readonly name: string }[];
  readonly objects: readonly {
    readonly name: string;
    readonly metadata?: { readonly size?: number; readonly eTag?: string } | null;
  }[];
}

export type StorageApi = ReturnType<typeof createStorageApi>;

/** The storage service's limit for both the objects deleted per request and the objects listed per page. */
const maxKeys = 1000;

export function createStorageApi({ apiUrl, serviceKey }: StorageTarget) {
  const base = `${apiUrl.replace(/\/+$/, '')}/storage/v1`;
  const auth = {
    apikey: serviceKey,
    // A secret key isn't a JWT, so it is sent only as `apikey`, from which the gateway derives a token.
    ...(serviceKey.startsWith('sb_') ? {} : { authorization: `Bearer ${serviceKey}` }),
  };

  /** Sends a request. @throws {StorageResponseError} @throws {StorageUnreachableError} */
  const request = async (method: string, path: string, options: RequestOptions = {}): Promise<Response> => {
    const { headers = {}, body = null, signal } = options;
    const url = path.startsWith('/') ? `${base}${path}` : path;
    const init = {
      method,
      headers: { ...headers, ...auth },
      body,
      duplex: 'half',
      redirect: 'manual',
    } as const;
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: signal ?? null });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw unreachable(base, error);
    }
    if (!response.ok) throw new StorageResponseError(response.status, await response.text());
    return response;
  };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await (await request(method, path, body === undefined ? {} : json)).json()) as T;
  };

  return {
    request,
    /**
     * Returns the URL of a resumable upload. Replaces the URL's origin with the API's origin, so that the key isn't
     * sent to another server.
     */
    uploadUrl: (location: string): string => {
      const { pathname, search } = new URL(location, base);
      return `${new URL(base).origin}${pathname}${search}`;
    },
    listBuckets: async (): Promise<string[]> =>
      (await call<{ name: string }[]>('GET', '/bucket')).map(({ name }) => name),
    createBucket: (name: string, settings: object): Promise<unknown> =>
      call('POST', '/bucket', { name, ...settings }),
    deleteBucket: async (name: string): Promise<string> =>
      (await call<{ message: string }>('DELETE', `/bucket/${encodeURIComponent(name)}`)).message,
    /**
     * Lists the keys that begin with a prefix, page by page. Without `isDeep`, keys with further segments are grouped
     * into folders.
     */
    async *list(
      bucket: string,
      prefix: string,
      { isDeep, limit = maxKeys }: { readonly isDeep: boolean; readonly limit?: number },
    ): AsyncGenerator<readonly Entry[]> {
      let cursor: string | undefined;
      do {
        const page: Page = await call('POST', `/object/list-v2/${encodeURIComponent(bucket)}`, {
          prefix,
          limit,
          with_delimiter: !isDeep,
          ...(cursor === undefined ? {} : { cursor }),
        });
        yield entriesOf(page);
        cursor = page.hasNext ? page.nextCursor : undefined;
      } while (cursor !== undefined);
    },
    move: async (bucketId: string, sourceKey: string, destinationKey: string): Promise<string> =>
      (await call<{ message: string }>('POST', '/object/move', { bucketId, sourceKey, destinationKey }))
        .message,
    /** Deletes objects. Returns the keys that existed. */
    remove: async (bucket: string, keys: readonly string[]): Promise<string[]> => {
      const removed: string[] = [];
      for (let start = 0; start < keys.length; start += maxKeys) {
        const prefixes = keys.slice(start, start + maxKeys);
        const path = `/object/${encodeURIComponent(bucket)}`;
        for (const { name } of await call<{ name: string }[]>('DELETE', path, { prefixes }))
          removed.push(name);
      }
      return removed;
    },
  };
}

function entriesOf({ folders, objects }: Page): Entry[] {
  const entries = [
    ...folders.map(({ name }) => ({ key: name.endsWith('/') ? name : `${name}/`, sizeBytes: undefined })),
    ...objects.map(({ name, metadata }) => ({ key: name, sizeBytes: metadata?.size, etag: metadata?.eTag })),
  ];
  return entries.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns an object's path for use in a URL. @throws {CommandError} if a URL can't represent the key */
export function objectPath(bucket: string, key: string): string {
  const segments = [bucket, ...key.split('/')];
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new CommandError(`/${bucket}/${key}: "." and ".." can't be part of the path.`);
  return segments.map(encodeURIComponent).join('/');
}

function unreachable(base: string, error: unknown): StorageUnreachableError {
  const { cause, message } = error as Error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new StorageUnreachableError(`Storage at ${base} can't be reached: ${reason}.`);
}

export interface StorageTarget {
  /** The URL of the API, such as `http://127.0.0.1:54321`. */
  readonly apiUrl: string;
  /** A service role key or a secret key. */
  readonly serviceKey: string;
}

/** Finds the storage service that a command uses. */
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
  const target = await findStorage(await managementOf(input));
  if (target !== undefined) return target;
  throw new CommandError(
    "The access token can't read the service key, because its operator isn't an owner.",
    'Create a token for an owner with "plinth operators token create NAME" on the server.',
  );
}

/** Returns the server's storage service. Returns undefined if only an owner's token may read the service key. */
export async function findStorage(client: ManagementClient): Promise<StorageTarget | undefined> {
  const { api_url: apiUrl } = await client.call<{ readonly api_url?: string }>('getProject');
  const keys = await client.call<readonly ApiKey[]>('listApiKeys', { reveal: true });
  const serviceKey = keys.find(({ name }) => name === 'service_role')?.api_key;
  if (apiUrl === undefined)
    throw new CommandError(`${client.consoleUrl} doesn't report its API URL. Upgrade that server.`);
  return serviceKey === undefined || serviceKey === null ? undefined : { apiUrl, serviceKey };
}
