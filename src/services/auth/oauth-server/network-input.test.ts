/** Tests the OAuth server's pure functions with arbitrary network input. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFields } from '../common/fields.ts';
import { AuthError, OAuthShapedError } from '../errors.ts';
import { isRegistered, parseRegistration, parseUpdate, redirectUriFault } from './registration.ts';
import { parseAuthorizeRequest, parseTokenParams, readCredentials } from './requests.ts';
import { coversScopes, parseScopes } from './scopes.ts';
import { clientSecretText, hashClientSecret, isClientSecret, sessionIdOfCode } from './secrets.ts';

const isOurs = (error: unknown) => error instanceof AuthError || error instanceof OAuthShapedError;

/** Returns the result of `work`, or undefined if `work` throws an auth error. */
function answers<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isOurs(error)) return undefined;
    throw error;
  }
}

describe('redirect URIs', () => {
  const strange = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string(),
    fc
      .tuple(
        fc.constantFrom('http', 'https', 'HTTP', 'javascript', 'myapp', 'data', ''),
        fc.constantFrom('://', ':', ':/', ':\\\\', ':///'),
        fc.constantFrom(
          'localhost',
          '127.0.0.1',
          '[::1]',
          'evil.example',
          'localhost@evil.example',
          'localhost\\@evil',
        ),
        fc.string(),
      )
      .map((parts) => parts.join('')),
  );

  test('a valid URI is absolute, has no fragment, and uses HTTP only on this machine', () => {
    fc.assert(
      fc.property(strange, (uri) => {
        if (redirectUriFault(uri) !== undefined) return;
        const url = new URL(uri);
        expect(url.hash).toBe('');
        expect(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:']).not.toContain(url.protocol);
        if (url.protocol === 'http:') expect(['localhost', '127.0.0.1', '[::1]']).toContain(url.hostname);
        // A URI must not contain a comma, because the database column stores a comma-separated list of URIs.
        expect(uri.split(',')).toEqual([uri]);
      }),
      { numRuns: 2000 },
    );
  });

  test('only an exact match with a registered URI is accepted', () => {
    fc.assert(
      fc.property(strange, strange, (one, other) => {
        expect(isRegistered([one], other)).toBe(one === other && redirectUriFault(one) === undefined);
      }),
    );
  });
});

describe('requests from clients', () => {
  test('any registration is rejected or fits the columns', () => {
    const metadata = fc.record(
      {
        redirect_uris: fc.oneof(fc.array(fc.webUrl(), { maxLength: 12 }), fc.anything()),
        client_name: fc.oneof(fc.string(), fc.anything()),
        client_uri: fc.oneof(fc.webUrl(), fc.string()),
        logo_uri: fc.oneof(fc.webUrl(), fc.string()),
        grant_types: fc.oneof(
          fc.subarray(['authorization_code', 'refresh_token', 'password']),
          fc.anything(),
        ),
        client_type: fc.constantFrom('public', 'confidential', '', 'x'),
        token_endpoint_auth_method: fc.constantFrom(
          'none',
          'client_secret_basic',
          'client_secret_post',
          '',
          'x',
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(metadata, (given) => {
        const text = JSON.stringify(given);
        const made = answers(() => parseRegistration(parseFields(text), 'app'));
        if (made === undefined) return;
        expect(made.authMethod === 'none').toBe(made.clientType === 'public');
        expect(made.redirectUris.join(',').split(',')).toEqual(made.redirectUris);
        for (const uri of [made.clientUri, made.logoUri]) expect(uri ?? 'https:').toMatch(/^https?:/i);
        answers(() => parseUpdate(parseFields(text), made.clientType, false));
      }),
    );
  });

  test('any query is parsed as a request with PKCE and known scopes, or rejected', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (extra, challenge) => {
        const query = new URLSearchParams({
          code_challenge: challenge,
          code_challenge_method: 'S256',
          ...extra,
        });
        const parsed = parseAuthorizeRequest(query);
        if ('fault' in parsed) expect(parsed.fault).not.toBe('');
        else expect(parsed.request.codeChallenge.length).toBeGreaterThanOrEqual(43);
      }),
    );
  });

  test('any body and header are parsed as credentials or rejected with invalid_credentials', () => {
    const types = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', '');
    const header = fc.oneof(
      fc.constant(undefined),
      fc.string(),
      fc.string().map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    );
    fc.assert(
      fc.property(types, fc.oneof(fc.string(), fc.json()), header, (type, body, authorization) => {
        const params = parseTokenParams(type, body);
        expect(typeof (params?.('code') ?? '')).toBe('string');
        answers(() => readCredentials(authorization, params));
      }),
    );
  });

  test('HTTP Basic credentials are accepted with and without the form encoding of RFC 6749', () => {
    const params = parseTokenParams('application/x-www-form-urlencoded', 'client_id=other');
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const read = { clientId: 'a-b', clientSecret: 's_1', method: 'client_secret_basic' };
    expect(readCredentials(basic('a-b:s_1'), params)).toEqual(read);
    expect(readCredentials(basic('a%2Db:s%5F1').replace('Basic', 'basic'), params)).toEqual(read);
  });

  test('names of inherited object properties aren’t members', () => {
    const params = parseTokenParams('application/json', '{"__proto__":{"client_id":"x"},"code":"c"}');
    expect([params?.('client_id'), params?.('toString'), params?.('code')]).toEqual(['', '', 'c']);
  });
});

describe('scopes', () => {
  test('are covered by the same or more scopes, but never by fewer', () => {
    const scopes = fc.subarray(['openid', 'profile', 'email', 'phone', 'offline_access']);
    fc.assert(
      fc.property(scopes, scopes, (granted, expected) => {
        expect(coversScopes(granted, expected)).toBe(expected.every((scope) => granted.includes(scope)));
        expect(parseScopes(expected.join('  '))).toEqual(expected);
      }),
    );
  });
});

describe('secrets', () => {
  test('match only themselves, and a client without a hash matches nothing', () => {
    const secret = clientSecretText();
    expect(isClientSecret(secret, hashClientSecret(secret))).toBe(true);
    expect(isClientSecret(clientSecretText(), hashClientSecret(secret))).toBe(false);
    expect(isClientSecret('', '')).toBe(false);
    expect(isClientSecret('', null)).toBe(false);
    expect(isClientSecret(hashClientSecret(secret), hashClientSecret(secret))).toBe(false);
  });

  test('a code determines one session ID, but a session ID doesn’t reveal the code', () => {
    fc.assert(
      fc.property(fc.uuid(), (code) => {
        const id = sessionIdOfCode(code);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(id).toBe(sessionIdOfCode(code));
        expect(id).not.toBe(code);
      }),
    );
  });
});
