import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseRedirect, encodeParams, isRedirectAllowed, redirectRules, withParams } from './redirects.ts';

const rules = redirectRules('https://app.example.com', [
  'https://*.preview.example.com/*',
  'https://deep.example.com/**',
  'myapp://callback',
  'http://localhost:5173',
]);

describe('isRedirectAllowed', () => {
  test.each([
    'https://app.example.com',
    'https://app.example.com/any/path?x=1#y',
    'https://one.preview.example.com/login',
    'https://deep.example.com/a/b.c/d',
    'https://deep.example.com/a#fragment.is/not/matched',
    'myapp://callback',
    'http://localhost:5173',
    'http://127.0.0.1:1234/x',
    'http://[::1]:9/x',
  ])('%s is allowed', (url) => {
    expect(isRedirectAllowed(rules, url)).toBe(true);
  });

  test.each([
    '',
    'https://evil.example.org',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.org',
    'https://app.example.com@evil.org',
    'https://app.example.com\\@evil.org',
    'https://evil.org\\.preview.example.com/x',
    'https://two.one.preview.example.com/login',
    'https://one.preview.example.com/a/b',
    'https://evil.org/?https://deep.example.com/',
    'http://localhost:5174',
    'http://2130706433/',
    'http://8.8.8.8/',
    'http://192.168.0.1/',
    'javascript:alert(1)',
    '//evil.org',
    'https:///evil.org',
    'https://app.example.com\n.evil.org',
    'https://ａpp.example.com',
    'https://user@app.example.com',
    'https://a?b.preview.example.com/',
    'https://deep.example.com:8443/a',
    'https://d%65ep.example.com/a',
    'javascript://127.0.0.1/%0aalert(1)',
    'javascript://app.example.com/%0aalert(1)',
    'data://127.0.0.1/text/html,x',
    'file://127.0.0.1/etc/passwd',
    'vbscript://127.0.0.1/x',
    'otherapp://127.0.0.1/x',
    'myapp://callback:1',
    'myapp://user@callback',
    `https://app.example.com/${'a'.repeat(16_384)}`,
  ])('%s is rejected', (url) => {
    expect(isRedirectAllowed(rules, url)).toBe(false);
  });

  test.each(['javascript', 'data', 'vbscript', 'blob', 'file', 'filesystem', 'view-source', 'about'])(
    '%s is rejected even if it is listed',
    (scheme) => {
      const named = redirectRules(`${scheme}://app.example.com`, [`${scheme}:**`, `${scheme}://**`, '**']);
      for (const url of [
        `${scheme}://app.example.com`,
        `${scheme.toUpperCase()}://127.0.0.1/x`,
        `${scheme}:x`,
      ])
        expect(isRedirectAllowed(named, url)).toBe(false);
    },
  );

  test('a local site can use any port', () => {
    const local = redirectRules('http://localhost:3000', []);
    expect(isRedirectAllowed(local, 'http://localhost:5173/x')).toBe(true);
    expect(isRedirectAllowed(local, 'https://localhost:5173/x')).toBe(false);
  });

  test('if a URL is allowed, a browser opens it on an intended host', () => {
    const site = redirectRules('https://app.example.com', ['https://*.example.com/**']);
    const fragment = fc.constantFrom(
      'https:',
      '//',
      '/',
      '\\',
      '@',
      'app.example.com',
      'evil.org',
      ':443',
      '#',
      '?',
      '.',
      ' ',
      '%2f',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 8 }), (fragments) => {
        const url = fragments.join('');
        if (!isRedirectAllowed(site, url) || !URL.canParse(url)) return;
        expect(new URL(url).hostname).toMatch(/(^|\.)example\.com$|^127\.|^\[::1\]$/);
      }),
      { numRuns: 2000 },
    );
  });
});

test('the first allowed URL is used, or else the site URL', () => {
  const account = 'https://api.example.net/account';
  const chosen = (...expected: (string | undefined)[]) => chooseRedirect(rules, expected, account);
  expect(chosen('https://evil.org', undefined, 'myapp://callback')).toBe('myapp://callback');
  expect(chosen('https://evil.org', undefined)).toBe('https://app.example.com');
  expect(chosen(`${account}/security?a=1`)).toBe(`${account}/security?a=1`);
});

test.each([
  'https://api.example.net/accounts',
  'https://api.example.net/account/../storage/v1/object/public/evil.html',
  'https://api.example.net/account\\@evil.org/',
  'https://api.example.net@evil.org/account/security',
  'http://api.example.net/account/security',
])('%s isn’t an Account page', (url) => {
  expect(chooseRedirect(rules, [url], 'https://api.example.net/account')).toBe('https://app.example.com');
});

test('parameters are encoded as in Go', () => {
  expect(encodeParams({ b: "it's a b", a: 'x/y&z' })).toBe('a=x%2Fy%26z&b=it%27s+a+b');
  expect(withParams('http://x/p?z=1', { code: 'c' })).toBe('http://x/p?code=c&z=1');
  expect(withParams('http://x/p?z=1#old', {}, { sb: '' })).toBe('http://x/p?z=1#sb=');
  expect(withParams('http://x', { a: '1' }, { b: '2' })).toBe('http://x?a=1#b=2');
});
