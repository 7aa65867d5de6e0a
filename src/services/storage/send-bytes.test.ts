import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import type { ByteStream } from './byte-stream.ts';
import { sendBytes } from './send-bytes.ts';

test('if Node rejects a header, the body is discarded, and Fastify sends the reply', async () => {
  let ended = 0;
  const body: ByteStream = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from('never sent');
    },
    destroy: () => {
      ended += 1;
    },
  };
  const app = Fastify();
  app.get('/', (_request, reply) =>
    sendBytes(reply, { status: 200, headers: { etag: 'a\nb' } }, body, silentLogger),
  );
  const response = await app.inject('/');
  expect(response.statusCode).toBe(500);
  expect(response.headers.etag).toBeUndefined();
  expect(response.body).not.toContain('never sent');
  expect(ended).toBe(1);
});
