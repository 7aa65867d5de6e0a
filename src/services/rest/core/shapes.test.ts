import { expect, test } from 'vitest';
import type { CrudHead, RestRequest } from './request.ts';
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
const list = { action: { kind: 'read' } } as CrudHead;
const insert = { action: { kind: 'write', mutation: 'insert' } } as CrudHead;
const one = { location: 'one', shape, isFinal: true, version: 0 } as Prepared;
const other = { ...one, location: 'other' };

test('a read is cached the second time it is requested', () => {
  const shapes = new ShapeCache();
  shapes.offerRepeat('a', list, one);
  expect(shapes.repeat('a')).toBeUndefined();
  shapes.offerRepeat('a', list, other);
  expect(shapes.repeat('a')).toBe(other);
});

test('the number of cached reads is limited, and the oldest read is evicted first', () => {
  const shapes = new ShapeCache();
  for (let index = 0; index <= 500; index++) {
    for (const _ of [1, 2]) shapes.offerRepeat(`key ${index}`, list, index === 500 ? other : one);
  }
  expect(shapes.repeat('key 0')).toBeUndefined();
  expect(shapes.repeat('key 1')).toBe(one);
  expect(shapes.repeat('key 500')).toBe(other);
});

test('reads that arrive only once don’t evict cached reads', () => {
  const shapes = new ShapeCache();
  for (const _ of [1, 2]) shapes.offerRepeat('kept', list, one);
  for (let index = 0; index < 5000; index++) shapes.offerRepeat(`once ${index}`, list, other);
  expect(shapes.repeat('kept')).toBe(one);
});

test('everything that affects the result is part of the key', () => {
  const keys = [
    read(),
    read({ method: 'HEAD' }),
    read({ path: '/people' }),
    read({ query: 'select=id,name' }),
    ...['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer', 'range'].map((name) =>
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

test('long requests aren’t cached', () => {
  expect(repeatKey(read({ query: 'x'.repeat(3000) }))).toBeUndefined();
});

test('only the head of a request that uses its body is cached', () => {
  const shapes = new ShapeCache();
  for (const _ of [1, 2, 3]) shapes.offerRepeat('insert', insert, one);
  expect(shapes.head('insert')).toBe(insert);
  expect(shapes.repeat('insert')).toBeUndefined();
  for (const _ of [1, 2]) shapes.offerRepeat('list', list, one);
  expect(shapes.head('list')).toBeUndefined();
});

test('a request whose statement isn’t final isn’t cached', () => {
  const shapes = new ShapeCache();
  for (const _ of [1, 2, 3]) shapes.offerRepeat('list', list, { ...one, isFinal: false });
  expect(shapes.repeat('list')).toBeUndefined();
});
