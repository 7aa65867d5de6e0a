import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { nameAbort } from './upload-body.ts';

test('a client disconnects while it sends a body', async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<IncomingMessage>();
  const server = createServer(resolve).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf');
  const raw = await arrived;
  const other = new Error('a full disk');
  let ended: unknown;
  try {
    for await (const _ of raw.iterator({ destroyOnReturn: false })) client.destroy();
  } catch (error) {
    ended = error;
  }
  server.close();
  expect(nameAbort(raw, ended)).toMatchObject({ entry: 'RequestAborted', cause: { code: 'ECONNRESET' } });
  expect(nameAbort(raw, other)).toBe(other);
});
