import { describe, expect, it } from 'vitest';
import { hostnameOf, isFromOwnPage, isLoopbackName, isNavigation } from './request-origin.ts';

describe('the name a request was sent to', () => {
  it.each([
    ['localhost:54324', 'localhost', true],
    ['LOCALHOST', 'localhost', true],
    ['app.localhost:1', 'app.localhost', true],
    ['127.0.0.1:80', '127.0.0.1', true],
    ['127.9.9.9', '127.9.9.9', true],
    ['[::1]:54324', '::1', true],
    ['host.docker.internal:54324', 'host.docker.internal', true],
    ['evil.example:54324', 'evil.example', false],
    ['127.0.0.1.evil.example', '127.0.0.1.evil.example', false],
    ['localhost.evil.example', 'localhost.evil.example', false],
    ['10.0.0.1', '10.0.0.1', false],
  ])('%s', (host, name, isLoopback) => {
    expect(hostnameOf(host)).toBe(name);
    expect(isLoopbackName(name)).toBe(isLoopback);
  });

  it.each([undefined, '', 'a b', 'localhost:123456', 'user@localhost', 'localhost/x', '[::1'])(
    'not %j',
    (host) => {
      expect(hostnameOf(host)).toBeUndefined();
    },
  );
});

it.each([
  [{ host: 'localhost:1' }, true],
  [{ host: 'localhost:1', 'sec-fetch-site': 'none' }, true],
  [{ host: 'localhost:1', 'sec-fetch-site': 'same-origin', origin: 'http://localhost:1' }, true],
  [{ host: 'localhost:1', origin: 'http://LOCALHOST:1' }, true],
  [{ host: 'localhost:1', 'sec-fetch-site': 'same-site' }, false],
  [{ host: 'localhost:1', 'sec-fetch-site': 'cross-site' }, false],
  [{ host: 'localhost:1', origin: 'http://localhost:2' }, false],
  [{ host: 'localhost:1', origin: 'https://localhost:1' }, false],
  [{ host: 'localhost:1', origin: 'null' }, false],
])('from an own page: %j', (headers, expected) => {
  expect(isFromOwnPage(headers, 'http')).toBe(expected);
});

it.each([
  ['GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, true],
  ['POST', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, false],
  ['GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, false],
  ['GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, false],
  ['GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', origin: 'http://x' }, false],
  ['GET', {}, false],
])('a navigation: %s %j', (method, headers, expected) => {
  expect(isNavigation(method, headers)).toBe(expected);
});
