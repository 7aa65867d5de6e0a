/** Tests the readers of request bodies with clients that disconnect at the least convenient times. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onCutShort, RequestBody } from '../../src/base/shared/http/request-body.ts';
import { receiveUpload as receiveDeployment } from '../../src/pages/console/management/upload.ts';
import { BodyBudget } from '../../src/services/rest/bodies.ts';
import { receiveUpload } from '../../src/services/storage/upload-body.ts';

let server: Server;
const requests: ((request: IncomingMessage) => void)[] = [];
beforeAll(async () => {
  server = createServer((request) => requests.shift()?.(request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

/**
 * Returns a request with a form of the given size. The body fits into the buffers of the kernel, Node and a form parser,
 * so Node receives all of it even if the file in the form isn't read.
 */
async function received(
  fileBytes = 60_000,
): Promise<{ request: IncomingMessage; disconnect: () => Promise<void> }> {
  const arrived = new Promise<IncomingMessage>((resolve) => requests.push(resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const field = '--x\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n{}\r\n';
  const file = `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${'z'.repeat(fileBytes)}\r\n`;
  const body = `${field}${file}--x--\r\n`;
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const request = await arrived;
  return {
    request,
    async disconnect() {
      const closed = new Promise<void>((resolve) => onClose(request, resolve));
      socket.resetAndDestroy();
      await closed;
    },
  };
}

function onClose(request: IncomingMessage, listener: () => void): void {
  request.on('error', () => undefined);
  if (request.closed) listener();
  else request.once('close', listener);
}

const readers: [string, (request: IncomingMessage) => Promise<unknown>][] = [
  [
    'an uploaded form',
    async (request) => {
      for await (const _ of (await receiveUpload(request)).bytes);
    },
  ],
  ['a deployment', (request) => receiveDeployment(request, { bytes: 1e6, files: 2 })],
  ['rows', (request) => new BodyBudget(() => 1e6).read(request, request)],
  [
    'a body for a function',
    async (request) => {
      for await (const _ of new RequestBody(request));
    },
  ],
];

describe.each(readers)('%s', (_name, read) => {
  test('is read completely', async () => {
    const { request, disconnect } = await received();
    await read(request);
    await disconnect();
  });

  test('fails if the client has already disconnected', async () => {
    const { request, disconnect } = await received();
    await disconnect();
    await expect(read(request)).rejects.toThrow();
  });
});

test('a form fails if its client disconnects after the last byte has arrived, before that byte has been read', async () => {
  const { request, disconnect } = await received(170_000);
  const { bytes } = await receiveUpload(request);
  await expect.poll(() => request.complete).toBe(true);
  await disconnect();
  await expect(
    (async () => {
      for await (const _ of bytes);
    })(),
  ).rejects.toMatchObject({ entry: 'RequestAborted' });
});

test('a body that has ended isn’t cut short, and a removed listener isn’t called', async () => {
  const { request, disconnect } = await received();
  let calls = 0;
  onCutShort(request, () => (calls += 1));
  request.resume();
  await once(request, 'close');
  await disconnect();
  const other = await received();
  onCutShort(other.request, () => (calls += 1))();
  await other.disconnect();
  expect(calls).toBe(0);
});
