import { describe, expect, test } from 'vitest';
import { redirectRules } from '../common/redirects.ts';
import { parseWalletMessage } from './message.ts';
import { walletMessageFault } from './rules.ts';

const redirects = redirectRules('https://site.example', [
  'https://supabase.com/',
  'http://localhost:5173/',
  'http://plain.example/**',
  'https://path.example/only/here',
  'https://*.wild.example/**',
]);

const issuedAt = Date.parse('2025-03-29T00:00:00Z');
const minutes = (count: number) => issuedAt + count * 60_000;

/** Returns the fault that is found in a message with this domain and URI at this time. */
function fault(domain: string, uri: string, nowMs = issuedAt, ...more: string[]): string | undefined {
  const text = [
    `${domain} wants you to sign in with your Ethereum account:`,
    '0x742d35Cc6635C0532925a3b8D53d6e8b3f56ddF1',
    '',
    `URI: ${uri}`,
    'Version: 1',
    'Issued At: 2025-03-29T00:00:00Z',
    ...more,
  ].join('\n');
  return walletMessageFault(
    parseWalletMessage('ethereum', text),
    redirects,
    nowMs,
    'https://api.example/account',
  );
}

const notTls = 'Signed Ethereum message is using URI which does not use HTTPS';
const otherApp =
  'Signed Ethereum message is using URI which is not allowed on this server, message was signed for another app';
const otherDomain =
  'Signed Ethereum message is using a Domain that does not match the one in URI which is not allowed on this server';

describe('the intended site', () => {
  test.each<[string, string]>([
    ['site.example', 'https://site.example'],
    ['site.example', 'https://site.example/deep/page?x=1#y'],
    ['supabase.com', 'https://supabase.com/'],
    ['localhost:5173', 'http://localhost:5173/'],
    ['a.wild.example', 'https://a.wild.example/login'],
    ['api.example', 'https://api.example/account/sign-in'],
  ])('accepted: %s and %s', (domain, uri) => {
    expect(fault(domain, uri)).toBeUndefined();
  });

  test.each<[string, string, string]>([
    ['plain.example', 'http://plain.example/', notTls],
    ['site.example', '/path', notTls],
    ['site.example', 'ftp://site.example/', notTls],
    ['supabase.green', 'https://supabase.green/', otherApp],
    ['supabase.com', 'https://supabase.com/other', otherApp],
    ['site.example', 'https://site.example.evil.example/', otherApp],
    ['site.example:8443', 'https://site.example:8443/', otherApp],
    ['supabase.green', 'https://supabase.com/', otherDomain],
    ['evil.example', 'https://site.example/', otherDomain],
    ['site.example:443', 'https://site.example/', otherDomain],
    ['evil.example', 'https://api.example/account/sign-in', otherDomain],
    // The host also serves files that users uploaded.
    ['api.example', 'https://api.example/storage/v1/object/public/x/y.html', otherApp],
    // The page is an allowed redirect URL, but the root page of the same domain isn't allowed.
    ['path.example', 'https://path.example/only/here', otherDomain],
    // Upstream accepts the following messages.
    ['evil.example', 'http://localhost:5173/', otherDomain],
    ['localhost', 'http://localhost:5173/', otherDomain],
  ])('rejected: %s and %s', (domain, uri, reason) => {
    expect(fault(domain, uri)).toBe(reason);
  });

  test('a URL with a host in its username counts as its actual host', () => {
    expect(fault('site.example', 'https://site.example@evil.example/')).toBe(otherApp);
    expect(fault('supabase.com', 'https://evil.example/@supabase.com/')).toBe(otherApp);
  });
});

describe('when', () => {
  const at = (nowMs: number, ...more: string[]) =>
    fault('site.example', 'https://site.example', nowMs, ...more);

  test('at most ten minutes in either direction', () => {
    expect(at(minutes(10))).toBeUndefined();
    expect(at(minutes(10) + 1)).toBe('Ethereum message was issued too long ago');
    expect(at(minutes(-10))).toBeUndefined();
    expect(at(minutes(-10) - 1)).toBe('Ethereum message was issued too far in the future');
  });

  test('not before the start and not after the expiration', () => {
    const notBefore = 'Not Before: 2025-03-29T00:01:00Z';
    expect(at(minutes(1) - 1, notBefore)).toBe('Signed Ethereum message becomes valid in the future');
    expect(at(minutes(1), notBefore)).toBeUndefined();
    const expiration = 'Expiration Time: 2025-03-29T00:05:00Z';
    expect(at(minutes(5), expiration)).toBeUndefined();
    // Upstream checks the expiration time only if the message also has a Not Before time.
    expect(at(minutes(5) + 1, expiration)).toBe('Signed Ethereum message is expired');
    expect(at(minutes(5) + 1, expiration, notBefore)).toBe('Signed Ethereum message is expired');
  });
});
