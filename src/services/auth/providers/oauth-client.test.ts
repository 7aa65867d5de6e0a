import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  authorizationUrl,
  newCodeVerifier,
  passedParams,
  readTokenResponse,
  redemptionRequest,
} from './oauth-client.ts';

describe('the authorization URL', () => {
  const request = {
    authorizeUrl: 'https://idp.example/authorize',
    clientId: 'client',
    redirectUri: 'https://auth.example/callback',
    scopes: ['openid', 'email'],
    state: 'state',
    params: [],
  };

  test('has sorted parameters, as in upstream', () => {
    expect(authorizationUrl(request)).toBe(
      'https://idp.example/authorize?client_id=client&redirect_uri=https%3A%2F%2Fauth.example%2Fcallback&response_type=code&scope=openid+email&state=state',
    );
    expect(authorizationUrl({ ...request, scopes: [], authorizeUrl: 'https://idp.example/?a=1' })).toMatch(
      /^https:\/\/idp\.example\/\?a=1&client_id=client&/,
    );
  });

  test('parameters from an app never override those of the server', () => {
    const names = fc.constantFrom(
      'state',
      'redirect_uri',
      'client_id',
      'code_challenge',
      'response_type',
      'prompt',
    );
    const spelled = names.chain((name) =>
      fc.mixedCase(fc.constant(name)).map((text) => [text, 'attack'] as [string, string]),
    );
    fc.assert(
      fc.property(fc.array(spelled), (pairs) => {
        const params = [passedParams(new URLSearchParams(pairs))];
        const query = new URL(authorizationUrl({ ...request, params })).searchParams;
        expect(query.getAll('state')).toEqual(['state']);
        expect(query.getAll('redirect_uri')).toEqual(['https://auth.example/callback']);
        expect(query.getAll('client_id')).toEqual(['client']);
        expect(query.getAll('response_type')).toEqual(['code']);
        expect(query.has('code_challenge')).toBe(false);
      }),
    );
  });

  test('only allowed parameters are accepted', () => {
    const query = new URLSearchParams(
      'provider=github&scopes=repo&invite_token=secret&prompt=consent&nonce=n&workos_provider=Okta&STATE=x',
    );
    expect(passedParams(query)).toEqual({ prompt: 'consent', nonce: 'n', provider: 'Okta' });
  });
});

describe('redeeming a code', () => {
  const redemption = {
    clientId: 'a:b',
    secret: 's c',
    redirectUri: 'https://auth.example/callback',
    code: 'code',
    codeVerifier: 'verifier',
  };

  test('HTTP Basic encodes both parts (RFC 6749 section 2.3.1)', () => {
    const { headers, body } = redemptionRequest(redemption, 'basic');
    expect(Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString()).toBe('a%3Ab:s%20c');
    expect(body).not.toContain('client_secret');
    expect(new URLSearchParams(body).get('code_verifier')).toBe('verifier');
  });

  test('or the credentials are sent in the form', () => {
    const { headers, body } = redemptionRequest({ ...redemption, codeVerifier: undefined }, 'post');
    expect(headers).not.toHaveProperty('authorization');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'authorization_code',
      code: 'code',
      redirect_uri: 'https://auth.example/callback',
      client_id: 'a:b',
      client_secret: 's c',
    });
  });

  test.each([
    [200, 'application/json', '{"access_token":"t","token_type":"bearer"}', 't'],
    [200, 'application/x-www-form-urlencoded; charset=utf-8', 'access_token=t&scope=email', 't'],
    [200, 'application/json', '{"error":"bad_verification_code"}', 'bad_verification_code'],
    [400, 'application/json', '{"error":"invalid_grant","access_token":"t"}', 'invalid_grant'],
    [400, 'application/json', '{"access_token":"t"}', ''],
    [200, 'application/json', '{"access_token":7}', ''],
    [200, 'application/json', '[]', ''],
    [200, 'text/html', '<html>', ''],
  ])('%i %s %s', (status, contentType, text, expected) => {
    const result = readTokenResponse({ status, contentType, text });
    expect(result.ok ? result.token.accessToken : result.error).toBe(expected);
  });

  test('any text is parsed as a token or rejected', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('application/json', 'text/plain', ''), (text, contentType) => {
        expect(typeof readTokenResponse({ status: 200, contentType, text }).ok).toBe('boolean');
      }),
    );
  });
});

test('verifiers are unique and have the right format', () => {
  expect(newCodeVerifier()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(newCodeVerifier()).not.toBe(newCodeVerifier());
});
