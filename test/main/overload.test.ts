/** Tests the responses from an overloaded server: 503 with Retry-After in the error format of each service. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createTestBackend } from '../../src/entry/testing.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;
let backend: Backend;
let stopFlood: () => Promise<void>;

beforeAll(async () => {
  backend = await createTestBackend({
    config: { plinth: { server: { max_wait: 0, max_waiting: 5 } } },
    sql: 'create table public.items (id int); grant select on public.items to anon;',
  });
  stopFlood = startFlood(new URL(backend.url));
});

afterAll(async () => {
  await stopFlood?.();
  await backend?.stop();
});

/**
 * With this number of connections, even on a fast machine, one turn of the event loop takes longer than requests are
 * allowed to wait.
 */
const connections = 200;
const requestsPerConnection = 5;

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
 * Repeats a request until it is rejected. Several requests are sent at the same time, so that one of the requests must
 * wait for the others.
 */
async function rejected(path: string, init?: RequestInit): Promise<Seen> {
  const send = async (): Promise<Seen> => {
    const response = await fetch(`${backend.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  for (;;) {
    const all = await Promise.all(Array.from({ length: 10 }, send));
    const seen = all.find(({ status }) => status === 503);
    if (seen !== undefined) return seen;
  }
}

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
  for (let round = 0; round < 20; round++) {
    const response = await fetch(`${backend.url}/rest/v1/items`, { method: 'OPTIONS', headers });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
});

test('supabase-js reports the rejection as an error of the service', async () => {
  const client = createClient(backend.url, backend.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => fetch(input, init) },
  });
  const until = async <T>(call: () => PromiseLike<{ error: T | null }>, isIt: (error: T) => boolean) => {
    for (;;) {
      const { error } = await call();
      if (error !== null && isIt(error)) return error;
    }
  };
  const rest = await until(
    () => client.from('items').select().retry(false),
    ({ code }) => code === 'PGRSTX06',
  );
  expect(rest.message).toBe('The server is receiving too many requests');
  const credentials = { email: 'a@example.com', password: 'secret-password' };
  const auth = await until(
    () => client.auth.signInWithPassword(credentials),
    ({ status }) => status === 503,
  );
  expect(auth.name).toBe('AuthRetryableFetchError');
  const storage = await until(
    () => client.storage.from('files').list(),
    ({ message }) => message.includes('too many requests'),
  );
  expect(storage).toMatchObject({ status: 503 });
  const functions = await until(
    () => client.functions.invoke('hello'),
    (error) => error.context?.status === 503,
  );
  expect(await functions.context.json()).toMatchObject({ code: 'OVERLOADED' });
});

test('realtime handshakes succeed, and are rejected before the upgrade only if too many are waiting', async () => {
  const address = `${backend.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${backend.keys.publishableKey}`;
  const open = async (): Promise<Seen> => {
    const socket = new WebSocket(address);
    const outcome = await new Promise<Seen>((resolve, reject) => {
      socket.once('open', () => resolve({ status: 101, headers: new Headers(), text: '' }));
      socket.once('unexpected-response', (_request, response) => {
        const headers = new Headers(response.headers as Record<string, string>);
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers, text: '' });
      });
      socket.once('error', reject);
    });
    socket.on('error', () => {});
    socket.terminate();
    return outcome;
  };
  for (let round = 0; round < 20; round++) expect((await open()).status).toBe(101);
  // More handshakes arrive in each round, because a busy machine may open a few of them one after the other.
  for (let count = 40; ; count = Math.min(2 * count, 640)) {
    const all = await Promise.all(Array.from({ length: count }, open));
    const rejection = all.find(({ status }) => status !== 101);
    if (rejection === undefined) continue;
    expect(rejection.status).toBe(503);
    expect(Number(rejection.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    return;
  }
});

test('health checks and metrics respond, and the metrics count the rejections', async () => {
  for (let round = 0; round < 20; round++)
    expect((await fetch(`${backend.url}/health/live`)).status).toBe(200);
  const response = await fetch(`${backend.url}/metrics`, {
    headers: { authorization: `Bearer ${backend.keys.secretKey}` },
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toMatch(/^plinth_gateway_rejected_total\{path="\/rest\/v1"\} [1-9]/m);
  for (const queue of ['gateway', 'passwords', 'functions'])
    expect(text).toMatch(new RegExp(`^plinth_queue_waiting\\{queue="${queue}"\\} \\d`, 'm'));
});
