import { readFileSync } from 'node:fs';
import { connect, createServer, Server, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openRelay, type Relay, type RelayOptions } from './relay.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** Starts a server that sends back what it receives. */
async function echo(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true));
  opened.push(server);
  return { server, port: (server.address() as { readonly port: number }).port };
}

async function relayTo(port: number, more: Partial<RelayOptions> = {}): Promise<Relay> {
  const relay = await openRelay({
    host: '127.0.0.1',
    port: 0,
    use: (work) => work(port),
    failure: () => 'failed',
    maxConnections: 100,
    ...more,
  });
  opened.push(relay);
  return relay;
}

function open(port: number): { readonly socket: Socket; readonly closed: Promise<string> } {
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(text));
  return { socket, closed: promise };
}

test('passes bytes on, also after the client has sent everything', async () => {
  const { port } = await echo();
  const relay = await relayTo(port);
  const { socket, closed } = open(relay.port);
  socket.end('hello');
  expect(await closed).toBe('hello');
});

test('a client that closes its connection ends the use of the server', async () => {
  const { port } = await echo();
  let users = 0;
  const relay = await relayTo(port, {
    use: async (work) => {
      users += 1;
      await work(port).finally(() => {
        users -= 1;
      });
    },
  });
  const { socket } = open(relay.port);
  socket.write('x');
  await vi.waitFor(() => expect(users).toBe(1));
  socket.destroy();
  await vi.waitFor(() => expect(users).toBe(0));
});

test.runIf(process.platform === 'linux')('a client whose machine is gone is noticed', async () => {
  const { port } = await echo();
  const relay = await relayTo(port);
  const { socket } = open(relay.port);
  const ofRelay = `0100007F:${relay.port.toString(16).toUpperCase().padStart(4, '0')}`;
  await vi.waitFor(() => {
    const rows = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    // 01 is an established connection, and 02 a timer that will send a probe.
    const row = rows.find(([, local, , state]) => local === ofRelay && state === '01');
    expect(row?.[5]?.slice(0, 2)).toBe('02');
  });
  socket.destroy();
});

test('more connections than allowed are closed', async () => {
  const { port } = await echo();
  const relay = await relayTo(port, { maxConnections: 2 });
  const first = open(relay.port);
  const second = open(relay.port);
  await vi.waitFor(() => expect([first.socket.connecting, second.socket.connecting]).toEqual([false, false]));
  const third = open(relay.port);
  expect(await third.closed).toBe('');
  first.socket.end('still served');
  expect(await first.closed).toBe('still served');
  second.socket.destroy();
});

test("connections that can't be accepted don't end the process", async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  await relayTo(1);
  const [server] = listening.mock.contexts as Server[];
  listening.mockRestore();
  for (let attempt = 0; attempt < 2; attempt++)
    expect(server?.emit('error', new Error('accept EMFILE'))).toBe(true);
});

test("a connection that can't be passed on receives the message", async () => {
  const refused = await relayTo(1, { use: async () => Promise.reject(new Error('busy')) });
  expect(await open(refused.port).closed).toBe('failed');
});
