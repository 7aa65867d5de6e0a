/**
 * Connects a test to the process that runs the test's backends. The first test of a run starts this process, which
 * listens on a Unix socket, or on a named pipe on Windows.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  claim,
  PackageError,
  packageManifest,
  serverNode,
  userCache,
} from '../../platform/packages/index.ts';
import { encodeLine, lineReader, type TestingRequest, type TestingResponse } from './testing-protocol.ts';

export interface TestingConnection {
  /** False once the host process has ended. */
  isOpen(): boolean;
  /** Sends a request. @throws {Error} with the message from the host */
  request<T>(request: TestingRequest): Promise<T>;
}

const pollMs = 20;
const startTimeoutMs = 60_000;

/** Returns a connection to the host of a project. Starts the host if it isn't running. */
export async function connectToHost(projectKey: string): Promise<TestingConnection> {
  const endpoint = endpointFor([projectKey, packageManifest()?.build ?? 'clone', userCache()], {
    os: process.platform,
    tmpdir: tmpdir(),
    uid: process.getuid?.(),
  });
  makeEndpointFolder(endpoint);
  const running = await tryConnect(endpoint);
  if (running !== undefined) return createConnection(running);
  const node = await serverNode();
  // The first process that acquires the claim starts the host, and the other processes connect to the host.
  const sockets: Socket[] = [];
  await claim(
    endpoint.folder === undefined ? join(userCache(), 'testing.claim') : `${endpoint.path}.claim`,
    () => sockets.length > 0,
    async () => {
      sockets.push((await tryConnect(endpoint)) ?? (await startHost(endpoint, node)));
    },
  );
  return createConnection(sockets[0] as Socket);
}

async function startHost(endpoint: Endpoint, node: string): Promise<Socket> {
  const log = endpoint.folder === undefined ? undefined : `${endpoint.path}.log`;
  const output = log === undefined ? 'ignore' : openSync(log, 'w', 0o600);
  const script =
    packageManifest() === undefined
      ? new URL('./testing-host.ts', import.meta.url)
      : new URL('../../../dist/server/testing-host.mjs', import.meta.url);
  const child = spawn(node, [fileURLToPath(script), endpoint.path], {
    detached: true,
    stdio: ['ignore', output, output],
    windowsHide: true,
  });
  child.unref();
  if (typeof output === 'number') closeSync(output);
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', () => {
    failure = (log === undefined ? '' : readFileSync(log, 'utf8').trim()) || 'it exited without output';
  });
  for (
    const deadline = performance.now() + startTimeoutMs;
    performance.now() < deadline;
    await sleep(pollMs)
  ) {
    const socket = await tryConnect(endpoint);
    if (socket !== undefined) {
      if (log !== undefined) rmSync(log, { force: true });
      return socket;
    }
    if (failure !== undefined) break;
  }
  throw new PackageError(`The process that runs test backends didn't start: ${failure ?? 'no reason'}`, []);
}

function tryConnect({ path }: Endpoint): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

function createConnection(socket: Socket): TestingConnection {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  // An idle connection doesn't prevent the test's process from exiting.
  const settle = (id: number) => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) socket.unref();
    return found;
  };
  socket.unref();
  socket.setEncoding('utf8');
  socket.on(
    'data',
    lineReader<TestingResponse>((response) => {
      const caller = settle(response.id);
      if ('result' in response) caller?.resolve(response.result);
      else caller?.reject(new Error([response.error, ...response.advice].join('\n')));
    }),
  );
  socket.on('error', () => undefined);
  socket.once('close', () => {
    for (const { reject } of waiting.values())
      reject(new Error('The process that runs test backends has ended.'));
    waiting.clear();
  });
  return {
    isOpen: () => !socket.destroyed,
    request<T>(request: TestingRequest): Promise<T> {
      if (socket.destroyed) throw new Error('The process that runs test backends has ended.');
      lastId += 1;
      const id = lastId;
      socket.ref();
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve: (result) => resolve(result as T), reject });
        socket.write(encodeLine({ ...request, id }));
      });
    },
  };
}

interface EndpointPlace {
  readonly os: string;
  readonly tmpdir: string;
  /** The ID of the user. Undefined on Windows. */
  readonly uid: number | undefined;
}

interface Endpoint {
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
function makeEndpointFolder({ folder }: Endpoint): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  chmodSync(folder, 0o700);
}
