import { expect, test } from 'vitest';
import { Repeats, repeatKey } from './repeats.ts';
import type { RestRequest } from './request.ts';

const read = (more: Partial<RestRequest> = {}): RestRequest => ({
  method: 'GET',
  path: '/todos',
  query: 'select=id',
  headers: {},
  body: new Uint8Array(0),
  ...more,
});

test('a value is cached the second time it is requested', () => {
  const repeats = new Repeats<number>();
  repeats.offer('a', 1);
  expect(repeats.get('a')).toBeUndefined();
  repeats.offer('a', 2);
  expect(repeats.get('a')).toBe(2);
});

test('the cache has a size limit, and the oldest value is evicted first', () => {
  const repeats = new Repeats<number>();
  for (let index = 0; index <= 500; index++) for (const _ of [1, 2]) repeats.offer(`key ${index}`, index);
  expect(repeats.get('key 0')).toBeUndefined();
  expect(repeats.get('key 1')).toBe(1);
  expect(repeats.get('key 500')).toBe(500);
});

test('keys that are used only once don’t evict cached values', () => {
  const repeats = new Repeats<number>();
  for (const _ of [1, 2]) repeats.offer('kept', 1);
  for (let index = 0; index < 5000; index++) repeats.offer(`once ${index}`, index);
  expect(repeats.get('kept')).toBe(1);
});

test('everything that affects the result is part of the key', () => {
  const keys = [
    read(),
    read({ method: 'HEAD' }),
    read({ path: '/people' }),
    read({ query: 'select=id,name' }),
    ...['accept', 'accept-profile', 'content-type', 'prefer', 'range'].map((name) =>
      read({ headers: { [name]: 'x' } }),
    ),
    read({ headers: { accept: 'x', prefer: 'y' } }),
    // This Accept header contains text that looks like a Prefer header.
    read({ headers: { accept: 'x\nprefer y' } }),
  ].map(repeatKey);
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(keys.length);
  expect(repeatKey(read({ headers: { authorization: 'x', 'x-client-info': 'y' } }))).toBe(keys[0]);
});

test.each([
  ['writes', { method: 'POST' }],
  ['a read with a body', { body: new Uint8Array(1) }],
  ['long ones', { query: 'x'.repeat(3000) }],
])('%s aren’t cached', (_what, more) => {
  expect(repeatKey(read(more))).toBeUndefined();
});
