/** Tests that large responses from the Console's API are compressed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Backend, type Operator, operator, rowsPath, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

const page = rowsPath('tasks', { filters: [], sort: [], limit: 100, offset: 0 });

test('rows are compressed if the client accepts it', async () => {
  const compressed = await owner.call('GET', page, undefined, { 'accept-encoding': 'gzip, br' });
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  expect(compressed.headers.get('vary')).toContain('accept-encoding');
  expect(compressed.body.rows).toHaveLength(100);
  const plain = await owner.call('GET', page, undefined, { 'accept-encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.body.rows).toEqual(compressed.body.rows);
});

test('a small response isn’t compressed', async () => {
  const { status, headers } = await owner.call('GET', '/session', undefined, { 'accept-encoding': 'gzip' });
  expect(status).toBe(200);
  expect(headers.get('content-encoding')).toBeNull();
});
