import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { s3Target } from './s3.ts';

let server: Server;
const sockets = new Set<Socket>();
beforeEach(async () => {
  server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

test.each([
  ['idle', { connectMs: 1000, idleMs: 100, requestMs: 60_000 }],
  ['request', { connectMs: 1000, idleMs: 60_000, requestMs: 100 }],
])(
  'a server that never responds causes an error after the %s timeout',
  async (_name, timeouts) => {
    const { port } = server.address() as { port: number };
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const target = s3Target(
      { bucket: 'b', prefix: '', endpoint, region: 'us-east-1', credentials },
      timeouts,
    );
    const writing = target.write('name', Readable.from([Buffer.from('bytes')]));
    await expect(writing).rejects.toMatchObject({
      code: 's3_failed',
      cause: { name: 'TimeoutError' },
    });
    target.close();
  },
  30_000,
);

/** Starts a server that calls `respond` for every request. */
async function withHttp<T>(
  respond: (request: IncomingMessage) => readonly [status: number, body: string],
  use: (target: ReturnType<typeof s3Target>) => Promise<T>,
): Promise<T> {
  const http = createHttpServer((request, response) => {
    const [status, body] = respond(request);
    request.resume();
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'the-secret' };
  const endpoint = `http://127.0.0.1:${port}`;
  const target = s3Target({ bucket: 'b', prefix: 'p/', endpoint, region: 'us-east-1', credentials });
  try {
    return await use(target);
  } finally {
    target.close();
    http.close();
    http.closeAllConnections();
  }
}

test.each([
  ['InvalidAccessKeyId', 403, "doesn't recognize the access key ID"],
  ['SignatureDoesNotMatch', 403, 'rejects the secret access key'],
  ['RequestTimeTooSkewed', 403, 'The clock of this machine differs'],
  ['AccessDenied', 403, "don't allow this access"],
  ['NoSuchBucket', 404, "The bucket doesn't exist"],
])(
  '%s causes a clear error message',
  async (code, status, sentence) => {
    const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the-secret</Message></Error>`;
    await withHttp(
      () => [status, xml],
      async (target) => {
        for (const request of [
          () => target.read('x'),
          () => target.write('x', Readable.from([Buffer.from('bytes')])),
          async () => {
            for await (const _ of target.list('')) break;
          },
        ]) {
          const error = (await request().catch((cause: Error) => cause)) as Error;
          expect(error).toMatchObject({ code: 's3_failed', message: expect.stringContaining(sentence) });
          expect(error.message).toContain('(s3://b/p/)');
          expect(error.message).not.toContain('the-secret');
        }
      },
    );
  },
  30_000,
);

test('old parts of incomplete uploads are removed', async () => {
  const aborted: string[] = [];
  const upload = (key: string, id: string, time: string): string =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${time}</Initiated></Upload>`;
  const xml = `<?xml version="1.0"?><ListMultipartUploadsResult>${[
    upload('p/old', 'one', '2026-01-01T00:00:00Z'),
    upload('p/new', 'two', '2026-01-03T00:00:00Z'),
    upload('other/old', 'three', '2026-01-01T00:00:00Z'),
  ].join('')}</ListMultipartUploadsResult>`;
  await withHttp(
    ({ method, url }) => {
      if (method !== 'DELETE') return [200, xml];
      aborted.push(new URL(url ?? '', 'http://s3').searchParams.get('uploadId') ?? '');
      return [204, ''];
    },
    (target) => target.removeUnfinished(Date.parse('2026-01-02T00:00:00Z')),
  );
  expect(aborted).toEqual(['one']);
}, 30_000);

test('a file is created only if it doesn’t exist, or is written if the server has no conditional writes', async () => {
  const xml = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
  const conditions: unknown[] = [];
  const created = (answer: readonly [status: number, code: string]): Promise<boolean> =>
    withHttp(
      ({ headers }) => {
        conditions.push(headers['if-none-match']);
        return headers['if-none-match'] === undefined
          ? [200, '']
          : [answer[0], answer[1] === '' ? '' : xml(answer[1])];
      },
      (target) => target.create('x', Buffer.from('bytes')),
    );
  expect(await created([200, ''])).toBe(true);
  expect(await created([412, 'PreconditionFailed'])).toBe(false);
  expect(await created([501, 'NotImplemented'])).toBe(true);
  await expect(created([403, 'AccessDenied'])).rejects.toMatchObject({ code: 's3_failed' });
  expect(conditions.slice(0, 2)).toEqual(['*', '*']);
  expect(new Set(conditions.slice(2))).toEqual(new Set(['*', undefined]));
}, 30_000);
