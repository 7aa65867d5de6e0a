/** Tests that the port for unencrypted HTTP, which everyone can reach, stays available for ACME challenges. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpPort } from '../../src/server/tls/http-port.ts';

test('a connection without a request is closed after a few seconds', async () => {
  const port = createHttpPort(() => 'https://api.example.com');
  onTestFinished(() => port.close());
  const socket = connect(await port.listen('127.0.0.1', 0), '127.0.0.1').resume();
  const openedAt = performance.now();
  await once(socket, 'close');
  expect(performance.now() - openedAt).toBeLessThan(9000);
});
