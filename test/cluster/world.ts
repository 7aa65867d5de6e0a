/** Starts a backend with two API workers, and clients that are each connected to one of the workers. */
import type { ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import type { Logger } from '../../src/base/kernel/log.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';

export interface Entry {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export interface World {
  readonly backend: Backend;
  /** All workers that were started, in order. */
  readonly workers: readonly ChildProcess[];
  /** The log of the main process. */
  readonly entries: readonly Entry[];
  /** Returns the process IDs of the workers that are running. */
  pids(): readonly number[];
  /**
   * Returns a client with one connection. Two clients that are opened one after the other are connected to different
   * workers, because the main process prefers the worker with fewer connections.
   */
  client(): Promise<Client>;
  /** Returns a metric's samples, keyed by their labels. */
  metric(name: string): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Client {
  call(path: string, call?: Call): Promise<Reply>;
  /** The client's `fetch` function, for client libraries. */
  readonly fetch: typeof fetch;
  close(): void;
}

export async function startWorld(options: TestBackendOptions = {}, count = 2): Promise<World> {
  const workers: ChildProcess[] = [];
  const entries: Entry[] = [];
  const backend = await createTestBackend({
    ...options,
    log: collecting(entries),
    workers: { count, onWorker: (worker) => void workers.push(worker) },
  });
  const clients: Client[] = [];
  return {
    backend,
    workers,
    entries,
    pids: () =>
      workers.flatMap(({ pid, exitCode, signalCode }) =>
        pid !== undefined && exitCode === null && signalCode === null ? [pid] : [],
      ),
    async client() {
      const client = connectTo(backend);
      clients.push(client);
      await client.call('/health/live');
      return client;
    },
    async metric(name) {
      const response = await backend.fetch('/metrics', { headers: { apikey: backend.keys.secretKey } });
      const lines = (await response.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
      return Object.fromEntries(
        lines.map((line) => {
          const [, labels = '', value] = /^[^{]+\{(.*)\} (\S+)$/.exec(line) ?? [];
          return [labels, Number(value)];
        }),
      );
    },
    async stop() {
      for (const client of clients) client.close();
      await backend.stop();
    },
  };
}

function connectTo({ url, keys }: Backend): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, url),
        { method, agent, headers: { apikey: keys.publishableKey, ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    call,
    async fetch(input, init) {
      const asked = new Request(input, init);
      const { pathname, search } = new URL(asked.url);
      const body = new Uint8Array(await asked.arrayBuffer());
      const reply = await call(pathname + search, {
        method: asked.method,
        headers: { ...Object.fromEntries(asked.headers), 'content-length': String(body.length) },
        body,
      });
      const empty = [204, 205, 304].includes(reply.status);
      return new Response(empty ? null : reply.text, {
        status: reply.status,
        headers: Object.entries(reply.headers).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      });
    },
    close: () => agent.destroy(),
  };
}

function collecting(entries: Entry[], own: Record<string, unknown> = {}): Logger {
  const at =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void =>
      void entries.push({ level, fields: { ...own, ...fields }, message });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => collecting(entries, { ...own, ...fields }),
  };
}
