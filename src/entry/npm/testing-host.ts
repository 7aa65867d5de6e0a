/**
 * The process that runs the backends of tests. It starts PostgreSQL once for all test files of a project, and clones a
 * prepared database for each backend. The process ends shortly after the last test has disconnected.
 *
 *     node testing-host.mjs SOCKET
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { sql } from '../../base/kernel/sql.ts';
import { type Config, loadConfig } from '../../platform/config/index.ts';
import { type Backend, preparedCluster } from '../main.ts';
import { createTestBackend, stopTestCluster } from '../testing.ts';
import {
  type CreatedBackend,
  type CreateRequest,
  encodeLine,
  lineReader,
  type SqlRequest,
  type TestingRequest,
} from './testing-protocol.ts';

/**
 * The time for which the host stays alive without a connection. Test runners start a separate process for each test
 * file, with gaps between these processes.
 */
const idleMs = 5000;

const [, , path = ''] = process.argv;
const connections = new Set<Socket>();
let handles = 0;
let idle: NodeJS.Timeout | undefined;

const server = createServer((socket) => {
  connections.add(socket);
  clearTimeout(idle);
  const session = createSession(socket);
  socket.once('close', () => {
    connections.delete(socket);
    session.end().finally(endWhenIdle);
  });
});

/** Loads the project's settings. @throws {Error} if a setting's key doesn't exist */
function settingsOf(projectDir: string, { settings, env }: CreateRequest): Config {
  const { config } = loadConfig({ projectDir, env, flags: settings, mode: 'development' });
  const valueAt = (key: string): unknown =>
    key
      .split('.')
      .reduce((value: unknown, part) => (value as Record<string, unknown> | undefined)?.[part], config);
  const unknown = Object.keys(settings).find((key) => valueAt(key) === undefined);
  if (unknown !== undefined) throw new Error(`The setting ${unknown} doesn't exist.`);
  return config;
}

interface Session {
  end(): Promise<void>;
}

/** Serves one test process. When the test process disconnects, its backends are stopped. */
function createSession(socket: Socket): Session {
  const backends = new Map<number, Backend>();
  let isEnded = false;

  async function create(request: CreateRequest): Promise<CreatedBackend> {
    const { projectDir, sql: text, exclude } = request;
    // Prepares the cluster from which the test cluster is copied.
    await preparedCluster(() => undefined);
    const backend = await createTestBackend({
      exclude,
      ...(projectDir === undefined ? {} : { projectDir }),
      ...(text === undefined ? {} : { sql: text }),
      ...(projectDir === undefined ? {} : { loaded: settingsOf(projectDir, request) }),
    });
    if (isEnded) await backend.stop();
    handles += 1;
    backends.set(handles, backend);
    return { handle: handles, status: backend.status() };
  }

  function find(handle: number): Backend {
    const backend = backends.get(handle);
    if (backend === undefined) throw new Error('This backend has been stopped.');
    return backend;
  }

  async function query({ handle, texts, values }: SqlRequest): Promise<unknown> {
    const parts = texts.flatMap((text, index) =>
      index < values.length ? [sql.raw(text), sql`${values[index] as string}`] : [sql.raw(text)],
    );
    return await find(handle).database.pool('postgres').query(sql.join(parts, ''));
  }

  async function stop(handle: number): Promise<void> {
    const backend = backends.get(handle);
    backends.delete(handle);
    await backend?.stop();
  }

  async function perform(request: TestingRequest): Promise<unknown> {
    switch (request.operation) {
      case 'create':
        return await create(request);
      case 'sql':
        return await query(request);
      case 'stop':
        return await stop(request.handle);
    }
  }

  async function respond({ id, ...request }: TestingRequest & { id: number }): Promise<void> {
    try {
      socket.write(encodeLine({ id, result: (await perform(request)) ?? null }));
    } catch (error) {
      const { message, advice = [] } = error as Error & { advice?: readonly string[] };
      socket.write(encodeLine({ id, error: message, advice }));
    }
  }

  socket.setEncoding('utf8');
  socket.on(
    'data',
    lineReader<TestingRequest & { id: number }>((request) => void respond(request)),
  );
  socket.on('error', () => undefined);
  return {
    async end() {
      isEnded = true;
      await Promise.allSettled([...backends.keys()].map(stop));
    },
  };
}

function endWhenIdle(): void {
  clearTimeout(idle);
  if (connections.size === 0) idle = setTimeout(end, idleMs);
}

async function end(): Promise<void> {
  if (connections.size > 0) return;
  server.close();
  await stopTestCluster().catch(() => undefined);
  process.exit(0);
}

// Removes a socket that a killed process left behind. The caller has verified that no process listens on this socket.
if (process.platform !== 'win32') rmSync(path, { force: true });
server.listen(path, endWhenIdle);
