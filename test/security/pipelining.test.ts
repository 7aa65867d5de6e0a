/**
 * Tests that the number of pipelined requests on a connection is limited. Without a limit, one connection would have
 * the same effect as thousands of connections.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayServer, service, startGateway } from '../gateway/harness.ts';

let begun = 0;
/** The responses wait until this resolves. */
let released: Promise<unknown> | undefined;
let server: GatewayServer;
beforeAll(async () => {
  const slow = service('slow', {
    prefix: '/slow',
    plugin: async (app) => {
      app.get('/:name', async (request) => {
        begun += 1;
        await (released ?? sleep(200));
        return (request.params as { name: string }).name;
      });
    },
  });
  server = await startGateway([slow], {});
});
afterAll(() => server?.gateway.close(100));

/**
 * Sends all requests together on one connection. Resolves with the response when the connection has ended or has been
 * idle for a second.
 */
function pipelined(count: number): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(server.port, '127.0.0.1');
    const end = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, isClosed });
    };
    const timer = setTimeout(() => end(false), 1000);
    socket.on('data', (chunk) => {
      text += chunk;
      timer.refresh();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => end(true));
    const requests = Array.from(
      { length: count },
      (_, index) => `GET /slow/r${index}. HTTP/1.1\r\nhost: x\r\n\r\n`,
    );
    socket.write(requests.join(''));
  });
}

it('a connection with several pending requests gets all responses in order', async () => {
  const { text, isClosed } = await pipelined(50);
  expect(isClosed).toBe(false);
  expect(text.match(/r\d+\./g)).toEqual(Array.from({ length: 50 }, (_, index) => `r${index}.`));
});

it('a connection with too many pending requests is closed, and services don’t receive more than the limit', async () => {
  begun = 0;
  const { promise, resolve } = Promise.withResolvers();
  // On a busy machine, the first requests could otherwise end before the server has read the others.
  released = promise;
  expect((await pipelined(3000)).isClosed).toBe(true);
  expect(begun).toBe(100);
  resolve(undefined);
});
