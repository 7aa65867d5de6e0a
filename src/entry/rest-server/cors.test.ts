import { expect, test } from 'vitest';
import { checkCors } from './cors.ts';

const ask = (request: Partial<Parameters<typeof checkCors>[0]>, origins: string[] = []) => {
  const whole = {
    method: 'GET',
    origin: 'http://a',
    requestedMethod: undefined,
    requestedHeaders: undefined,
    ...request,
  };
  const { kind, headers } = checkCors(whole, origins);
  return { kind, ...Object.fromEntries(headers) } as Record<string, string>;
};

test('no CORS headers are sent to requests without an origin', () => {
  expect(ask({ origin: undefined })).toEqual({ kind: 'plain' });
});

test('any origin can send requests, without credentials', () => {
  expect(ask({})).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
  expect(ask({})).not.toHaveProperty('Access-Control-Allow-Credentials');
  expect(ask({})['Access-Control-Expose-Headers']).toContain('Content-Range, Content-Type');
});

test('listed origins can send requests with credentials, and others get no CORS headers', () => {
  expect(ask({}, ['http://b', 'http://a'])).toMatchObject({
    'Access-Control-Allow-Origin': 'http://a',
    'Access-Control-Allow-Credentials': 'true',
  });
  for (const origin of ['http://a.evil', 'http://A', 'null', '*', '']) {
    expect(ask({ origin }, ['http://a'])).toEqual({ kind: 'plain' });
    expect(ask({ origin, method: 'OPTIONS', requestedMethod: 'POST' }, ['http://a'])).toEqual({
      kind: 'plain',
    });
  }
});

test('a preflight response allows the requested headers', () => {
  expect(ask({ method: 'OPTIONS', requestedMethod: 'POST', requestedHeaders: 'Foo, accept' })).toEqual({
    kind: 'preflight',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD',
    'Access-Control-Allow-Headers': 'Authorization, Foo, accept, Accept-Language, Content-Language',
    'Access-Control-Max-Age': '86400',
  });
});

test.each([
  ['no method', { requestedMethod: undefined }],
  ['an unknown method', { requestedMethod: 'TRACE' }],
  ['an invalid header name', { requestedMethod: 'POST', requestedHeaders: 'a b\r\nx: y' }],
])('a preflight for %s is passed to the service', (_what, request) => {
  expect(ask({ method: 'OPTIONS', ...request })).toEqual({ kind: 'plain' });
});
