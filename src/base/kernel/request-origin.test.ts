import { describe, expect, it, test } from 'vitest';
import {
  foreignOf,
  hostnameOf,
  isLoopbackName,
  isSameOrigin,
  keepLoopbackName,
  type OriginMarks,
} from './request-origin.ts';

describe('a server URL with the name that the client used', () => {
  const url = 'http://127.0.0.1:54321/account';
  it.each([
    ['localhost:54321', 'http://localhost:54321/account'],
    ['LOCALHOST:54321', 'http://localhost:54321/account'],
    ['[::1]:54321', 'http://[::1]:54321/account'],
    ['localhost:1', url],
    ['localhost', url],
    ['evil.example:54321', url],
    ['localhost.evil.example:54321', url],
    ['user@localhost:54321', url],
    ['localhost:54321/evil', url],
    ['', url],
  ])('%s', (host, expected) => {
    expect(keepLoopbackName(url, host)).toBe(expected);
  });

  it('is unchanged for a public address', () => {
    expect(keepLoopbackName('https://api.example/account', 'localhost')).toBe('https://api.example/account');
  });
});

describe('the host name of a request', () => {
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
    'no host name is read from %j',
    (host) => {
      expect(hostnameOf(host)).toBeUndefined();
    },
  );
});

const local = { host: 'localhost:1' };
const publicUrl = new URL('https://console.example.com');
const open = { host: 'console.example.com' };

it.each([
  [local, undefined],
  [{ ...local, 'sec-fetch-site': 'none' }, undefined],
  [{ ...local, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:1' }, undefined],
  [{ ...local, origin: 'http://LOCALHOST:1' }, undefined],
  [{ ...local, 'sec-fetch-site': 'same-site' }, 'page'],
  [{ ...local, 'sec-fetch-site': 'cross-site' }, 'page'],
  [{ ...local, origin: 'http://localhost:2' }, 'page'],
  [{ ...local, origin: 'https://localhost:1' }, 'page'],
  [{ ...local, origin: 'https://console.example.com' }, 'page'],
  [{ ...local, origin: 'null' }, 'page'],
  [{ host: 'evil.example' }, 'name'],
  [{ host: 'evil.example', 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' }, 'name'],
  [{ host: 'console.example.com.evil.example' }, 'name'],
  [{}, 'name'],
  [open, undefined],
  [{ ...open, 'sec-fetch-site': 'same-origin', origin: 'https://console.example.com' }, undefined],
  [{ host: 'Console.Example.com:443' }, undefined],
  [{ ...open, origin: 'http://console.example.com' }, 'page'],
  [{ ...open, origin: 'https://api.example.com' }, 'page'],
  [{ ...open, 'sec-fetch-site': 'same-site' }, 'page'],
  // The configured host name and scheme apply, regardless of the forwarding headers.
  [{ host: '127.0.0.1', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }, undefined],
  [{ host: 'evil.example', 'x-forwarded-host': 'console.example.com' }, 'name'],
])('allowed callers: %j', (headers: Record<string, string>, expected) => {
  expect(foreignOf({ method: 'POST', headers }, { publicUrl }, true)).toBe(expected);
});

it('a public host is recognized only if it is configured', () => {
  expect(foreignOf({ method: 'GET', headers: open }, {}, true)).toBe('name');
});

it('a public host can have a port, which proxies can omit from Host', () => {
  const withPort = { publicUrl: new URL('https://console.example.com:8443') };
  for (const host of ['console.example.com', 'console.example.com:8443']) {
    const headers = { host, origin: 'https://console.example.com:8443' };
    expect(foreignOf({ method: 'POST', headers }, withPort, false)).toBeUndefined();
  }
});

const link = { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };

it.each([
  ['GET', { ...link, 'sec-fetch-dest': 'document' }, true],
  ['POST', { ...link, 'sec-fetch-dest': 'document' }, false],
  ['GET', { ...link, 'sec-fetch-dest': 'iframe' }, false],
  ['GET', { ...link, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, false],
  ['GET', { ...link, 'sec-fetch-dest': 'document', origin: 'http://x' }, false],
  ['GET', { ...local, 'sec-fetch-site': 'cross-site' }, false],
])('a link on another website: %s %j', (method, headers, isFollowed) => {
  expect(foreignOf({ method, headers }, {}, true)).toBe(isFollowed ? undefined : 'page');
  expect(foreignOf({ method, headers }, {}, false)).toBe('page');
});

const ours: OriginMarks = {
  ownHeader: '1',
  fetchSite: 'same-origin',
  origin: 'http://127.0.0.1:54321',
  host: '127.0.0.1:54321',
};

test.each<[string, Partial<OriginMarks>]>([
  ['a page of ours', {}],
  ['a browser that sends no Sec-Fetch-Site', { fetchSite: undefined }],
  ['a GET, which has no Origin', { origin: undefined }],
  ['a host written in capitals', { host: 'EXAMPLE.org', origin: 'https://example.org' }],
])('accepted: %s', (_name, change) => {
  expect(isSameOrigin({ ...ours, ...change })).toBe(true);
});

test.each<[string, Partial<OriginMarks>]>([
  ['a form of another page', { ownHeader: undefined }],
  ['another site', { fetchSite: 'cross-site' }],
  ['another port or subdomain', { fetchSite: 'same-site' }],
  ['an address typed by hand', { fetchSite: 'none' }],
  ['another origin', { origin: 'http://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:3000' }],
  ['an opaque origin', { origin: 'null' }],
])('refused: %s', (_name, change) => {
  expect(isSameOrigin({ ...ours, ...change })).toBe(false);
});
