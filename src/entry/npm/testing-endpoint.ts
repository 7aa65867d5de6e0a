/** Determines where the process that runs test backends listens: a Unix socket, or a named pipe on Windows. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { posix } from 'node:path';

export interface EndpointPlace {
  readonly os: string;
  readonly tmpdir: string;
  /** The ID of the user. Undefined on Windows. */
  readonly uid: number | undefined;
}

export interface Endpoint {
  /** The path for `net.connect`. */
  readonly path: string;
  /** The private folder that contains the socket. Undefined on Windows, because pipes aren't files. */
  readonly folder: string | undefined;
}

/**
 * Returns the endpoint for a project and a build of Plinth. All test files of a project share this endpoint.
 *
 * @example
 * endpointFor(['/app', '1a2b'], { os: 'linux', tmpdir: '/tmp', uid: 1000 }).path; // '/tmp/plinth-testing-1000/8d…'
 */
export function endpointFor(key: readonly string[], { os, tmpdir, uid }: EndpointPlace): Endpoint {
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 16);
  if (os === 'win32') return { path: `\\\\.\\pipe\\plinth-testing-${name}`, folder: undefined };
  const folder = posix.join(tmpdir, `plinth-testing-${uid ?? 0}`);
  return { path: posix.join(folder, name), folder };
}

/** Creates the private folder. @throws if the folder belongs to another user, who could read the messages */
export function makeEndpointFolder({ folder }: Endpoint): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  chmodSync(folder, 0o700);
}
