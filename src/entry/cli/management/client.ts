/** Calls the Management API of the server that runs in this folder or of a remote server. */
import type { ManagementCallName } from '../../main.ts';
import type { Running } from '../control.ts';
import { CommandError } from '../errors.ts';
import { decodeFiles, encodeFiles } from './encoded-files.ts';
import { type CallInput, requestOf } from './requests.ts';

export interface ManagementClient {
  readonly consoleUrl: string;
  readonly ref: string;
  /** Calls the API. @throws {CommandError} with the error message from the server */
  call<T>(name: ManagementCallName, input?: CallInput): Promise<T>;
}

export interface RemoteTarget {
  /** The Console's origin. */
  readonly url: string;
  readonly ref: string;
  readonly token: string;
}

/** Returns a client for the process that runs in this folder. The client has all permissions. */
export async function localClient(running: Running): Promise<ManagementClient> {
  const call = async <T>(name: ManagementCallName, input: CallInput = {}): Promise<T> =>
    decodeFiles(await running.call('manage', { name, input: encodeFiles(input) })) as T;
  const [{ ref }, { STUDIO_URL = '' }] = await Promise.all([
    call<{ ref: string }>('getProject'),
    running.call<Record<string, string>>('status'),
  ]);
  return { consoleUrl: STUDIO_URL, ref, call };
}

export function remoteClient({ url, ref, token }: RemoteTarget): ManagementClient {
  return {
    consoleUrl: url,
    ref,
    call: async <T>(name: ManagementCallName, input: CallInput = {}): Promise<T> =>
      (await send(url, token, requestOf(name, ref, input))) as T,
  };
}

/** Finds the project on the server. @throws {CommandError} if the server can't be reached or rejects the token */
export async function findRemote(
  url: string,
  token: string,
): Promise<{ readonly ref: string; readonly name: string }> {
  const projects = await send(url, token, requestOf('listProjects', '', {}));
  const [project] = Array.isArray(projects) ? (projects as { ref: string; name: string }[]) : [];
  if (project === undefined) throw new CommandError(`${url} isn't the Console of a Plinth server.`);
  return project;
}

async function send(
  origin: string,
  token: string,
  { method, path, body, accept, read }: ReturnType<typeof requestOf>,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(new URL(path, origin), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(accept === undefined ? {} : { accept }),
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      // Rejects redirects, because the token must be sent only to the selected server.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    throw new CommandError(`${origin} can't be reached: ${cause?.message || message}`);
  }
  if (response.ok) return await read(response);
  throw new CommandError(...(await describe(origin, response)));
}

async function describe(origin: string, response: Response): Promise<[string, ...string[]]> {
  const text = await response.text();
  let message = `${origin} responded with status ${response.status}.`;
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message;
  } catch {
    // A response that isn't JSON is from another server, such as a proxy.
  }
  if (response.status !== 401 || message !== 'Unauthorized') return [message];
  return [
    'The access token is invalid or was revoked.',
    'Create one on the server with "plinth operators token create NAME", and run "plinth link URL".',
  ];
}
