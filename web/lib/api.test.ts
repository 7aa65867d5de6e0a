import { expect, test } from 'vitest';
import { callApi } from './api.ts';

test.each([200, 400])('an interrupted response with status %i is an error', async (status) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"sess'));
      controller.error(new TypeError('network error'));
    },
  });
  const early = Promise.resolve(new Response(body, { status }));
  await expect(callApi('/any', { early })).rejects.toMatchObject({
    name: 'ApiError',
    code: 'network',
    status: 0,
  });
});
