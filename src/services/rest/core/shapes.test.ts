import { expect, test } from 'vitest';
import type { RestRequest } from './request.ts';
import { type Prepared, repeatKey, type Shape, ShapeCache } from './shapes.ts';

const read = (more: Partial<RestRequest> = {}): RestRequest => ({
  method: 'GET',
  path: '/todos',
  query: 'select=id',
  headers: {},
  body: new Uint8Array(0),
  ...more,
});

const shape = {} as Shape;
const one = { location: 'one', shape, isFinal: true, version: 0 } as Prepared;
const other = { ...one, location: 'other' };

test('a read is cached the second time it is requested', () => {
  const shapes = new ShapeCache();
  shapes.offerRepeat('a', one);
  expect(shapes.repeat('a')).toBeUndefined();
  shapes.offerRepeat('a', other);
  expect(shapes.repeat('a')).toBe(other);
});

test('the number of cached reads is limited, and the oldest read is evicted first', () => {
  const shapes = new ShapeCache();
  for (let index = 0; index <= 500; index++) {
    for (const _ of [1, 2]) shapes.offerRepeat(`key ${index}`, index === 500 ? other : one);
  }
  expect(shapes.repeat('key 0')).toBeUndefined();
  expect(shapes.repeat('key 1')).toBe(one);
  expect(shapes.repeat('key 500')).toBe(other);
});

test('reads that arrive only once don’t evict cached reads', () => {
  const shapes = new ShapeCache();
  for (const _ of [1, 2]) shapes.offerRepeat('kept', one);
  for (let index = 0; index < 5000; index++) shapes.offerRepeat(`once ${index}`, other);
  expect(shapes.repeat('kept')).toBe(one);
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
