/**
 * The compiler checks the types in this file. If a line with `@ts-expect-error` becomes valid, the type check fails.
 */
import { expect, expectTypeOf, test } from 'vitest';
import { consoleUrl, type Payload } from './route.ts';
import type { fetchConsole } from './session.ts';

test('a URL has percent-encoded parameters and only the given query fields', () => {
  const params = { bucket: 'a/b' };
  expect(consoleUrl('GET /storage/buckets/:bucket/object', { params, query: { path: 'x y' } })).toBe(
    '/console/api/storage/buckets/a%2Fb/object?path=x+y',
  );
  expect(consoleUrl('GET /reference/types')).toBe('/console/api/reference/types');
  expect(consoleUrl('GET /logs/tail', { query: { level: undefined } })).toBe('/console/api/logs/tail');
});

test('the types of input and response are derived from the route', () => {
  const call: typeof fetchConsole = () => new Promise(() => {});
  expectTypeOf<Payload<'POST /storage/buckets/:bucket/share-link'>>().toEqualTypeOf<{
    readonly link: string;
  }>();
  expectTypeOf<Payload<'DELETE /inbox'>>().toEqualTypeOf<undefined>();
  void call('GET /storage');
  void call('GET /users', { query: { search: 'ada', sort: 'email' } });

  // @ts-expect-error no such route
  void call('GET /buckets');
  // @ts-expect-error the parameter is missing
  void call('GET /users/:id');
  // @ts-expect-error the query has no such field
  void call('GET /users', { query: { serach: 'ada' } });
  // @ts-expect-error the order has no such value
  void call('GET /users', { query: { sort: 'name' } });
  // @ts-expect-error the route takes no body
  void call('GET /users', { body: {} });
  // @ts-expect-error the body lacks its fields
  void call('POST /users/invite', { body: {} });
  // @ts-expect-error the body has no such field
  void call('POST /users/invite', { body: { email: 'a@b.c', name: 'Ada' } });
  // @ts-expect-error the response has no such field
  void call('GET /storage').then(({ bucket }) => bucket);
});
