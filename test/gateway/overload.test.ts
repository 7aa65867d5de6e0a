/**
 * Tests a server that receives more requests than it can process: which clients' requests wait, which are rejected, and
 * with which response.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Service } from '../../src/base/kernel/service.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

let server: GatewayServer | undefined;
afterEach(async () => {
  await server?.gateway.close(100);
  server = undefined;
});

/** Keeps the CPU busy, as parsing and planning a request does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const costMs = 2;
const busy: Service = service('busy', {
  prefix: '/busy/v1',
  cors: 'open',
  apiKeys: true,
  overloaded: [{ type: 'application/problem+json', text: '{"busy":true}' }],
  plugin: async (app) => {
    app.get('/', async () => {
      work(costMs);
      return 'done';
    });
    app.post('/', async () => 'done');
    app.options('/', async () => 'done');
  },
  upgrade: (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
});

/** Returns a client's request as a proxy sends it: on a connection that the proxy also uses for other requests. */
const get = (client: string, path = '/busy/v1/', extra = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${client}\r\n${extra}\r\n`;

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly ms: number;
}

/**
 * Sends one request on each of many new connections, at the same time. The server accepts connections while requests
 * arrive, so some requests may wait in the kernel. With `isAccepted`, the server has accepted all connections before
 * the requests are sent.
 */
async function flood(
  port: number,
  requests: readonly string[],
  { isAccepted = false } = {},
): Promise<Answer[]> {
  const sockets = await Promise.all(
    requests.map(
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket));
        }),
    ),
  );
  if (isAccepted) {
    await Promise.all(
      sockets.map(async (socket) => {
        socket.write(get('192.0.2.1', '/health/live'));
        await once(socket, 'data');
      }),
    );
  }
  const startedAt = performance.now();
  return Promise.all(
    sockets.map(
      (socket, index) =>
        new Promise<Answer>((resolve, reject) => {
          let head = '';
          socket.on('data', (data) => {
            head += data.toString('latin1');
            if (!head.includes('\r\n\r\n')) return;
            resolve({ status: Number(head.slice(9, 12)), head, ms: performance.now() - startedAt });
            socket.destroy();
          });
          socket.on('error', reject);
          socket.write(requests[index] as string);
        }),
    ),
  );
}

const start = async (maxWaitMs: number): Promise<GatewayServer> => {
  server = await startGateway([busy], {
    trustedProxies: ['127.0.0.1'],
    limits: { dispatch: { maxWaitMs, maxWaiting: 1000 } },
  });
  return server;
};
const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

test('requests that would wait for too long are rejected in the format of their service', async () => {
  const { port, lines } = await start(100);
  const requests = Array<string>(200).fill(get('192.0.2.1'));
  const answers = await flood(port, requests, { isAccepted: true });
  expect(count(answers, 200) + count(answers, 503)).toBe(200);
  expect(count(answers, 200)).toBeGreaterThan(2);
  const rejected = answers.filter(({ status }) => status === 503);
  expect(rejected.length).toBeGreaterThan(50);
  for (const { head } of rejected) {
    expect(head).toContain('application/problem+json');
    expect(head).toContain('access-control-allow-origin: *');
    expect(head).toMatch(/retry-after: [1-9]/);
    expect(head).toMatch(/x-request-id: [\w-]{8,}/);
    expect(head).toMatch(/\r\n\r\n\{"busy":true\}$/);
  }
  // Rejected requests aren't logged individually.
  const logged = lines.filter(({ message, fields }) => message === 'request' && fields.path === '/busy/v1/');
  expect(logged).toHaveLength(count(answers, 200));
});

test('a rejected client can use its connection again, even if its body was not read', async () => {
  const { port } = await start(0);
  const body = 'x'.repeat(100_000);
  const post = `POST /busy/v1/ HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  await once(socket, 'connect');
  const others = flood(port, Array<string>(100).fill(get('192.0.2.1')));
  const responses = (): number => text.split('HTTP/1.1').length - 1;
  for (let sent = 1; !text.includes('HTTP/1.1 503'); sent++) {
    socket.write(post);
    await expect.poll(responses, { interval: 1 }).toBe(sent);
  }
  await others;
  const before = responses();
  socket.write(get('192.0.2.1'));
  await expect.poll(responses).toBe(before + 1);
  expect(text).toMatch(/503 [\s\S]*HTTP\/1\.1 200 OK[\s\S]*done$/);
  socket.destroy();
});

test('one client with most of the connections doesn’t delay the others', async () => {
  const { port } = await start(60_000);
  const requests = Array.from({ length: 330 }, (_, index) =>
    get(index < 300 ? '192.0.2.1' : `198.51.100.${index - 300}`),
  );
  const answers = await flood(port, requests);
  expect(count(answers, 200)).toBe(330);
  const times = answers.slice(0, 300).map(({ ms }) => ms);
  const latest = Math.max(...answers.slice(300).map(({ ms }) => ms));
  // The last requests of the flood are served long before many requests that arrived earlier.
  expect(times.filter((ms) => ms > latest).length).toBeGreaterThan(100);
});

test('probes, preflight requests and a burst of upgrades are served while other requests are rejected', async () => {
  const { port } = await start(0);
  const preflight =
    'OPTIONS /busy/v1/ HTTP/1.1\r\nhost: x\r\norigin: https://app.example\r\naccess-control-request-method: GET\r\n\r\n';
  const upgrade = get('192.0.2.1', '/busy/v1/socket', 'connection: Upgrade\r\nupgrade: websocket\r\n');
  const kinds = [
    get('192.0.2.1'),
    get('192.0.2.1', '/health/live'),
    get('192.0.2.1', '/health/ready'),
    preflight,
    upgrade,
    get('192.0.2.1', '/unknown'),
  ];
  const rounds = 40;
  const answers = await flood(port, Array.from({ length: rounds }, () => kinds).flat());
  const of = (kind: number): Answer[] => answers.filter((_, index) => index % kinds.length === kind);
  for (const exempt of [1, 2, 3]) expect(count(of(exempt), 200)).toBe(rounds);
  expect(of(3)[0]?.head).toContain('access-control-allow-methods');
  const rejected = (kind: number) => of(kind).find(({ status }) => status === 503)?.head;
  expect(rejected(0)).toContain('{"busy":true}');
  expect(rejected(4)).toBeUndefined();
  expect(rejected(5)).toContain('"code":"overloaded"');
});

test('requests of disconnected clients aren’t processed', async () => {
  const { port, gateway, fetch, lines } = await start(10_000);
  const leaving = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  for (const socket of leaving) socket.write(get('192.0.2.1'));
  await expect.poll(() => gateway.queue()?.waiting).toBeGreaterThan(50);
  for (const socket of leaving) socket.resetAndDestroy();
  expect((await fetch('/busy/v1/')).status).toBe(200);
  expect(lines.filter(({ message }) => message === 'request').length).toBeLessThan(90);
});
