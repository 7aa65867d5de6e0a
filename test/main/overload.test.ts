/** Tests the responses from an overloaded server: 503 with Retry-After in the error format of each service. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;
let backend: Backend;

beforeAll(async () => {
  backend = await createTestBackend({
    config: { plinth: { server: { max_wait: 0, max_waiting: 5 } } },
    sql: 'create table public.items (id int); grant select on public.items to anon;',
  });
});

afterAll(async () => {
  await backend?.stop();
});

/** Keeps the server overloaded while the test runs. */
async function flooded(run: () => Promise<void>): Promise<void> {
  const stopFlood = startFlood(new URL(backend.url));
  try {
    await run();
  } finally {
    await stopFlood();
  }
}

/** The connections of the flood, and the requests that each of them always waits for. */
const connections = 20;
const requestsPerConnection = 50;

/** Continuously sends requests on many connections. */
function startFlood({ hostname, port }: URL): () => Promise<void> {
  const text = `GET /rest/v1/items HTTP/1.1\r\nhost: x\r\napikey: ${backend.keys.publishableKey}\r\n\r\n`;
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(text.repeat(requestsPerConnection)));
    socket.on('data', (data) => {
      for (let count = data.toString('latin1').split('HTTP/1.1 ').length; count > 1; count--)
        socket.write(text);
    });
    return socket;
  });
  return async () => {
    await Promise.all(
      sockets.map(async (socket) => {
        socket.destroy();
        if (!socket.closed) await once(socket, 'close');
      }),
    );
  };
}

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * The number of requests that are sent at the same time. Even on a fast machine, the server needs longer than one turn
 * of the event loop for all of them, so some of them must wait, which `max_wait` forbids.
 */
const atOnce = 200;

/** Repeats calls, many of them at the same time, until one of the results passes the check. Returns that result. */
async function until<Result>(
  call: () => PromiseLike<Result>,
  isIt: (result: Result) => boolean,
): Promise<Result> {
  for (;;) {
    const found = (await Promise.all(Array.from({ length: atOnce }, call))).find(isIt);
    if (found !== undefined) return found;
  }
}

/** Repeats a request until it is rejected. */
const rejected = (path: string, init?: RequestInit): Promise<Seen> =>
  until(
    async () => {
      const response = await fetch(`${backend.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    ({ status }) => status === 503,
  );

test.each([
  ['/rest/v1/items', 'application/json; charset=utf-8', '"code":"PGRSTX06"'],
  ['/auth/v1/settings', 'application/json; charset=utf-8', '"error_code":"unexpected_failure"'],
  ['/storage/v1/bucket', 'application/json; charset=utf-8', '"code":"SlowDown"'],
  ['/storage/v1/s3/bucket', 'application/xml; charset=utf-8', '<Code>SlowDown</Code>'],
  ['/storage/v1/upload/resumable/x', 'text/plain; charset=utf-8', 'too many requests'],
  ['/functions/v1/hello', 'application/json; charset=utf-8', '"code":"OVERLOADED"'],
  ['/realtime/v1/api/broadcast', 'application/json; charset=utf-8', '{"error":'],
  ['/account/api/session', 'application/json; charset=utf-8', '"code":"overloaded"'],
  ['/account/sign-in', 'text/html; charset=utf-8', '<h1>Try again in a moment</h1>'],
  ['/nowhere', 'application/json; charset=utf-8', '"code":"overloaded"'],
])('%s is rejected with %s', async (path, type, text) => {
  const seen = await rejected(path, { headers: { origin: 'https://app.example' } });
  expect(seen.headers.get('content-type')).toBe(type);
  expect(seen.text).toContain(text);
  expect(Number(seen.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // A web page can read the response, including the header that contains the delay before a retry.
  expect(seen.headers.get('access-control-allow-origin')).toBe('*');
  expect(seen.headers.get('access-control-expose-headers')).toContain('retry-after');
});

test('preflight requests succeed, so a web page can read the error response', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
  await flooded(async () => {
    for (let round = 0; round < 20; round++) {
      const response = await fetch(`${backend.url}/rest/v1/items`, { method: 'OPTIONS', headers });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });
});

test('supabase-js reports the rejection as an error of the service', async () => {
  const client = createClient(backend.url, backend.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => fetch(input, init) },
  });
  const rest = await until(
    () => client.from('items').select().retry(false),
    ({ error }) => error?.code === 'PGRSTX06',
  );
  expect(rest.error?.message).toBe('The server is receiving too many requests');
  const credentials = { email: 'a@example.com', password: 'secret-password' };
  const auth = await until(
    () => client.auth.signInWithPassword(credentials),
    ({ error }) => error?.status === 503,
  );
  expect(auth.error?.name).toBe('AuthRetryableFetchError');
  const storage = await until(
    () => client.storage.from('files').list(),
    ({ error }) => error?.message.includes('too many requests') === true,
  );
  expect(storage.error).toMatchObject({ status: 503 });
  const functions = await until(
    () => client.functions.invoke('hello'),
    ({ error }) => error?.context?.status === 503,
  );
  expect(await functions.error.context.json()).toMatchObject({ code: 'OVERLOADED' });
});

/** Opens a connection on which the server has already responded to a request. */
async function accepted(): Promise<Socket> {
  const { hostname, port, host } = new URL(backend.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /health/live HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

/** Sends a realtime handshake and returns the beginning of the response. */
async function handshake(socket: Socket): Promise<string> {
  const { host } = new URL(backend.url);
  socket.write(
    [
      `GET /realtime/v1/websocket?apikey=${backend.keys.publishableKey} HTTP/1.1`,
      `host: ${host}`,
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString('latin1');
}

test('realtime handshakes succeed, and are rejected before the upgrade only if too many are waiting', async () => {
  const succeeded = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let round = 0; round < 20; round++) {
    const socket = await accepted();
    expect(await handshake(socket)).toContain(succeeded);
    socket.destroy();
  }
  // The handshakes arrive at the same time, because their connections have already been accepted.
  const sockets = await Promise.all(Array.from({ length: atOnce }, accepted));
  const all = await Promise.all(sockets.map(handshake));
  for (const socket of sockets) socket.destroy();
  const rejections = all.filter((text) => !text.startsWith(succeeded));
  expect(rejections).not.toEqual([]);
  for (const text of rejections) {
    expect(text).toContain('HTTP/1.1 503 Service Unavailable\r\n');
    expect(text).toMatch(/^retry-after: [1-9]/im);
  }
});

test('health checks and metrics respond, and the metrics count the rejections', async () => {
  const metrics = async (): Promise<string> => {
    const response = await fetch(`${backend.url}/metrics`, {
      headers: { authorization: `Bearer ${backend.keys.secretKey}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  let text = '';
  await flooded(async () => {
    for (let round = 0; round < 20; round++)
      expect((await fetch(`${backend.url}/health/live`)).status).toBe(200);
    text = await metrics();
  });
  expect(text).toMatch(/^plinth_gateway_rejected_total\{path="\/rest\/v1"\} [1-9]/m);
  for (const queue of ['gateway', 'passwords', 'functions'])
    expect(text).toMatch(new RegExp(`^plinth_queue_waiting\\{queue="${queue}"\\} \\d`, 'm'));
});
