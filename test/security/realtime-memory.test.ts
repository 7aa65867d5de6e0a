/**
 * Tests that messages can't crash the process. Anyone with the publishable key can open a socket and join public
 * channels.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({
    config: { plinth: { realtime: { max_held_per_client: 4_000_000, max_held: 10_000_000 } } },
    exclude: ['functions', 'storage', 'account', 'console'],
  });
});
afterAll(() => backend?.stop());

const heavy = '1008 The joins and presence of this socket use too much memory';

interface Client {
  readonly socket: WebSocket;
  send(...frame: unknown[]): void;
  /** Resolves with the first matching frame. */
  next(test: (frame: unknown[]) => boolean): Promise<unknown[]>;
  join(topic: string): Promise<unknown>;
  readonly closed: Promise<string>;
}

async function open(): Promise<Client> {
  const socket = new WebSocket(
    `${backend.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${backend.keys.publishableKey}`,
  );
  const closed = new Promise<string>((resolve) =>
    socket.once('close', (code, reason) => resolve(`${code} ${reason}`)),
  );
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const next: Client['next'] = (test) =>
    new Promise((resolve) => {
      const look = (data: WebSocket.RawData): void => {
        const frame = JSON.parse(String(data)) as unknown[];
        if (!test(frame)) return;
        socket.off('message', look);
        resolve(frame);
      };
      socket.on('message', look);
    });
  const send = (...frame: unknown[]): void =>
    socket.send(frame.length === 1 && typeof frame[0] === 'string' ? frame[0] : JSON.stringify(frame));
  return {
    socket,
    closed,
    next,
    send,
    join(topic) {
      const joined = next((frame) => frame[1] === `j${topic}`);
      send('1', `j${topic}`, `realtime:${topic}`, 'phx_join', { config: { presence: { enabled: true } } });
      return joined;
    },
  };
}

const track = (topic: string, payloadJson: string, ref = 't'): string =>
  `["1","${ref}","realtime:${topic}","presence",{"type":"presence","event":"track","payload":${payloadJson}}]`;
const isReply = (ref: string) => (frame: unknown[]) => frame[1] === ref && frame[3] === 'phx_reply';
const heartbeat = async (client: Client): Promise<void> => {
  const replied = client.next(isReply('h'));
  client.send(null, 'h', 'phoenix', 'heartbeat', {});
  await replied;
};

it('JSON that is nested too deeply is dropped, in any part of a frame', async () => {
  const client = await open();
  await client.join('deep');
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  client.send(track('deep', `{"a":${deep}}`));
  client.send(
    `["1","b","realtime:deep","broadcast",{"type":"broadcast","event":"x","payload":{"a":${deep}}}]`,
  );
  client.send(`["1","j","realtime:other","phx_join",{"config":{"postgres_changes":[{"filter":${deep}}]}}]`);
  // Presence is sent with a delay, so the test waits.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await heartbeat(client);
  expect((await backend.fetch('/health')).status).toBe(200);
  client.socket.terminate();
});

it('JSON that is nested too deeply is rejected over HTTP', async () => {
  const body = `{"messages":[{"topic":"a","event":"b","payload":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}]}`;
  const { status } = await backend.fetch('/realtime/v1/api/broadcast', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body,
  });
  expect(status).toBe(422);
});

describe('memory limits while a socket is open', () => {
  const lists = (count: number): string => `{"a":[${Array(count).fill('[]').join()}]}`;

  it('apply to a socket’s presence in all of its channels', async () => {
    const client = await open();
    for (const topic of ['a', 'b', 'c', 'd']) {
      await client.join(topic);
      client.send(track(topic, lists(30_000)));
    }
    expect(await client.closed).toBe(heavy);
  });

  it('don’t count presence that was replaced', async () => {
    const client = await open();
    await client.join('a');
    for (let count = 0; count < 8; count++) {
      const replied = client.next(isReply(`t${count}`));
      client.send(track('a', lists(30_000 + count), `t${count}`));
      await replied;
    }
    const replied = client.next(isReply('u'));
    client.send('1', 'u', 'realtime:a', 'presence', { type: 'presence', event: 'untrack' });
    await replied;
    await heartbeat(client);
    client.socket.terminate();
  });

  it('include joins, even rejected ones', async () => {
    const client = await open();
    const entries = Array(30_000).fill('{}').join();
    // Joins without a topic are rejected.
    for (const topic of ['', 'a', 'b', 'c', 'd'])
      client.send(
        `["1","1","realtime:${topic}","phx_join",{"config":{"postgres_changes":[${entries}],"private":${topic === 'a'}}}]`,
      );
    expect(await client.closed).toBe(heavy);
  });

  it('close the sockets that use the most memory at the total limit, and keep the others open', async () => {
    const modest = await open();
    await modest.join('m');
    modest.send(track('m', '{"name":"someone"}'));
    const greedy = await Promise.all(Array.from({ length: 4 }, open));
    for (const [index, client] of greedy.entries()) {
      await client.join(`g${index}`);
      client.send(track(`g${index}`, lists(90_000)));
    }
    expect(await Promise.race(greedy.map(({ closed }) => closed))).toBe(heavy);
    await heartbeat(modest);
    for (const { socket } of [modest, ...greedy]) socket.terminate();
  });
});
