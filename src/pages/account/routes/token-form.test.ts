import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { declareTokenForm } from './token-form.ts';

test.each([
  [400, 'link-expired'],
  [429, 'plain/limited'],
  [503, 'failed'],
  [504, 'failed'],
])('if auth responds with status %i, the page %s is sent', async (status, page) => {
  const app = Fastify();
  app.setErrorHandler((_error, _request, reply) => reply.send('failed'));
  declareTokenForm(app, async (_request, reply, name) => reply.send(name), {
    path: '/form',
    shape: /^x$/,
    show: () => Promise.reject(new AuthRejection(status, {})),
    use: () => Promise.reject(new Error('not called')),
  });
  expect((await app.inject('/form?token=x')).body).toBe(page);
});
