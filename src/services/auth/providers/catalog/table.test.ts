import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExternalProfile } from '../profile.ts';
import { profileFromIdToken } from './id-token-profiles.ts';
import { endpointUrl, type TokenResponse } from './spec.ts';
import { findProviderSpec, isKnownProvider, oauth2Providers } from './table.ts';

const token: TokenResponse = {
  accessToken: 't',
  tokenType: '',
  refreshToken: '',
  idToken: undefined,
  members: {},
};

/**
 * Reads the profile from a provider's responses. `responses` contains one response per resource, by the name of the
 * resource.
 */
function read(provider: string, responses: Record<string, unknown>, url = ''): ExternalProfile {
  const source = findProviderSpec(provider)?.profile;
  if (source?.from !== 'api') throw new Error(`${provider} has no API`);
  return source.read(responses, { issuer: endpointUrl(source.issuer, url), token });
}

const email = (address: string, verified: boolean, primary = true) => ({ email: address, verified, primary });

describe('profiles in the format of each provider’s documentation', () => {
  test('Bitbucket', () => {
    const profile = read('bitbucket', {
      user: { uuid: '{1-2}', display_name: 'Ann', avatar: undefined, links: {} },
      emails: {
        values: [
          { email: 'a@x.com', is_primary: true, is_confirmed: true, type: 'email' },
          { email: 'b@x.com', is_primary: false, is_confirmed: false },
        ],
      },
    });
    expect(profile).toEqual({
      emails: [email('a@x.com', true), email('b@x.com', false, false)],
      claims: {
        iss: 'https://api.bitbucket.org/2.0',
        sub: '{1-2}',
        name: 'Ann',
        full_name: 'Ann',
        provider_id: '{1-2}',
      },
    });
  });

  test('Figma', () => {
    expect(
      read('figma', { user: { id: '7', email: 'a@x.com', handle: 'Ann', img_url: 'https://p' } }),
    ).toEqual({
      emails: [email('a@x.com', true)],
      claims: {
        iss: 'https://api.figma.com',
        sub: '7',
        name: 'Ann',
        avatar_url: 'https://p',
        full_name: 'Ann',
        provider_id: '7',
      },
    });
  });

  test('Fly', () => {
    const user = {
      resource_owner_id: 'r',
      user_id: 'u',
      user_name: 'Ann',
      email: 'a@x.com',
      organizations: [{ id: 'o', role: 'member', more: 1 }],
      scope: ['read'],
      application: { uid: 'x' },
      expires_in: 1,
      created_at: 1700000000,
    };
    expect(read('fly', { user }).claims).toEqual({
      iss: 'https://api.fly.io',
      sub: 'u',
      full_name: 'Ann',
      provider_id: 'u',
      custom_claims: {
        resource_owner_id: 'r',
        organizations: [{ id: 'o', role: 'member' }],
        application: { uid: 'x' },
        scope: ['read'],
        created_at: 1700000000,
      },
    });
  });

  test.each([
    ['2026-01-01T00:00:00Z', true],
    [null, false],
  ])('GitLab, confirmed at %s, with a custom host', (confirmedAt, verified) => {
    const responses = {
      user: { id: 3, email: 'a@x.com', name: 'Ann', avatar_url: 'https://p', confirmed_at: confirmedAt },
      emails: [{ id: 1, email: 'b@x.com' }],
    };
    const profile = read('gitlab', responses, 'https://git.example.com/');
    expect(profile.emails).toEqual([email('b@x.com', false, false), email('a@x.com', verified)]);
    expect(profile.claims).toMatchObject({ iss: 'https://git.example.com', sub: '3', provider_id: '3' });
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('Kakao, verified %s and valid %s: %s', (verified, valid, counts) => {
    const account = {
      profile: { nickname: 'Ann', profile_image_url: 'https://p' },
      email: 'a@x.com',
      is_email_valid: valid,
      is_email_verified: verified,
    };
    const profile = read('kakao', { user: { id: 123456789, kakao_account: account } });
    expect(profile.emails).toEqual([email('a@x.com', counts)]);
    expect(profile.claims).toEqual({
      iss: 'https://kapi.kakao.com',
      sub: '123456789',
      name: 'Ann',
      preferred_username: 'Ann',
      avatar_url: 'https://p',
      full_name: 'Ann',
      provider_id: '123456789',
      user_name: 'Ann',
    });
  });

  test('Keycloak includes the realm’s claims', () => {
    const user = { sub: 's', name: 'Ann', email: 'a@x.com', email_verified: false, groups: ['x'] };
    expect(read('keycloak', { user }, 'https://kc.example.com/realms/r/')).toEqual({
      emails: [email('a@x.com', false)],
      claims: {
        iss: 'https://kc.example.com/realms/r',
        sub: 's',
        name: 'Ann',
        full_name: 'Ann',
        provider_id: 's',
        custom_claims: { groups: ['x'] },
      },
    });
  });

  test('Notion', () => {
    const person = { id: 'n', name: 'Ann', avatar_url: 'https://p', person: { email: 'a@x.com' } };
    const profile = read('notion', { user: { bot: { owner: { type: 'user', user: person } } } });
    expect(profile).toMatchObject({ emails: [email('a@x.com', true)], claims: { sub: 'n', name: 'Ann' } });
  });

  test.each([true, false])('Slack, verified %s', (verified) => {
    const user = {
      ok: true,
      sub: 'other',
      'https://slack.com/user_id': 'U1',
      'https://slack.com/team_id': 'T1',
      email: 'a@x.com',
      email_verified: verified,
      name: 'Ann',
      picture: 'https://p',
    };
    expect(read('slack_oidc', { user })).toMatchObject({
      emails: [email('a@x.com', verified)],
      claims: {
        iss: 'https://slack.com/api',
        sub: 'U1',
        custom_claims: { 'https://slack.com/team_id': 'T1' },
      },
    });
  });

  test('Snapchat', () => {
    const me = { externalId: 'e', displayName: 'Ann', bitmoji: { avatar: 'https://p', id: 'b' } };
    expect(read('snapchat', { user: { data: { me }, errors: [] } })).toEqual({
      emails: [],
      claims: {
        iss: 'https://accounts.snapchat.com/accounts/oauth2/token',
        sub: 'e',
        name: 'Ann',
        picture: 'https://p',
        slug: 'Ann',
        avatar_url: 'https://p',
        full_name: 'Ann',
        provider_id: 'e',
      },
    });
  });

  test('Spotify doesn’t verify addresses, and the largest picture is used', () => {
    const images = [
      { url: 'https://small', height: 64, width: 64 },
      { url: 'https://large', height: 300, width: 300 },
    ];
    expect(
      read('spotify', { user: { id: 's', display_name: 'Ann', email: 'a@x.com', images } }),
    ).toMatchObject({
      emails: [email('a@x.com', false)],
      claims: { iss: 'https://api.spotify.com/v1', picture: 'https://large' },
    });
  });

  test('Twitch', () => {
    const user = { id: '1', login: 'ann', display_name: 'Ann', type: '', email: 'a@x.com', view_count: 5 };
    expect(read('twitch', { users: { data: [user] } })).toMatchObject({
      emails: [email('a@x.com', true)],
      claims: {
        sub: '1',
        name: 'ann',
        nickname: 'Ann',
        slug: 'Ann',
        custom_claims: { type: '', view_count: 5 },
      },
    });
    expect(read('twitch', { users: { data: [] } }).claims.sub).toBe('');
  });

  test.each([
    ['101', 0, true],
    ['100', 1, true],
    ['100', 0, false],
    [100, 0, false],
    [1, 0, true],
  ])('Zoom, login type %s, verified %s: %s', (loginType, verified, counts) => {
    const user = {
      id: 'z',
      first_name: 'Ann',
      last_name: 'E',
      email: 'a@x.com',
      verified,
      login_type: loginType,
    };
    expect(read('zoom', { user })).toMatchObject({
      emails: [email('a@x.com', counts)],
      claims: { iss: 'https://api.zoom.us/v2', name: 'Ann E' },
    });
  });

  test.each([
    ['true', true],
    [true, true],
    ['false', false],
  ])('LinkedIn, verified %j', (verified, counts) => {
    const claims = {
      iss: 'https://www.linkedin.com/oauth',
      sub: 'l',
      email: 'a@x.com',
      email_verified: verified,
      given_name: 'Ann',
      family_name: 'Example',
      locale: 'en_US',
    };
    expect(profileFromIdToken(claims)).toEqual({
      emails: [email('a@x.com', counts)],
      claims: {
        iss: 'https://www.linkedin.com/oauth',
        sub: 'l',
        name: 'Ann Example',
        given_name: 'Ann',
        family_name: 'Example',
        locale: 'en_US',
        provider_id: 'l',
      },
    });
  });
});

describe('addresses', () => {
  test.each([
    ['', 'https://github.com/login/oauth/authorize', 'https://api.github.com/user'],
    [
      'https://ghe.example.com/',
      'https://ghe.example.com/login/oauth/authorize',
      'https://ghe.example.com/api/v3/user',
    ],
  ])('GitHub at %j', (url, authorize, user) => {
    const { github } = oauth2Providers;
    expect(endpointUrl(github.authorize, url)).toBe(authorize);
    const resource = github.profile.from === 'api' ? github.profile.resources.user : undefined;
    expect(resource && endpointUrl(resource, url)).toBe(user);
  });

  test('all belong to their provider and use HTTPS', () => {
    for (const [name, spec] of Object.entries(oauth2Providers)) {
      const url = name === 'keycloak' ? 'https://kc.example.com/realms/r' : '';
      for (const endpoint of [spec.authorize, spec.token]) {
        const address = new URL(endpointUrl(endpoint, url));
        expect(address.protocol).toBe('https:');
        expect(address.hostname).toMatch(/\.[a-z]+$/);
      }
    }
  });

  test('Microsoft uses the URL of the tenant', () => {
    const { azure } = oauth2Providers;
    expect(endpointUrl(azure.token, '')).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/token');
    expect(endpointUrl(azure.token, 'https://login.microsoftonline.com/t')).toBe(
      'https://login.microsoftonline.com/t/oauth2/v2.0/token',
    );
  });
});

test('only own properties are provider names', () => {
  for (const name of ['constructor', '__proto__', 'toString', '']) {
    expect(isKnownProvider(name)).toBe(false);
    expect(findProviderSpec(name)).toBeUndefined();
  }
});

test('any provider response is parsed without an exception, and the ID is always a string', () => {
  const anything = fc.anything({ maxDepth: 3 });
  for (const spec of Object.values(oauth2Providers)) {
    const source = spec.profile;
    if (source.from !== 'api') continue;
    const names = Object.keys(source.resources);
    fc.assert(
      fc.property(fc.tuple(...names.map(() => anything)), (responses) => {
        const given = Object.fromEntries(names.map((name, index) => [name, responses[index]]));
        const profile = source.read(given, { issuer: 'https://i', token });
        expect(typeof profile.claims.sub).toBe('string');
        expect(profile.emails.every((each) => typeof each.email === 'string' && each.email !== '')).toBe(
          true,
        );
      }),
      { numRuns: 30 },
    );
  }
});

test('any ID token claims are parsed as a profile', () => {
  const issuer = fc.constantFrom(
    'https://accounts.google.com',
    'https://appleid.apple.com',
    'https://login.microsoftonline.com/t/v2.0',
    'https://www.facebook.com',
    'https://kauth.kakao.com',
    'https://marketplace.vercel.com',
    'https://www.linkedin.com/oauth',
    'https://idp.example.com',
  );
  const names = fc.constantFrom(
    'sub',
    'email',
    'email_verified',
    'name',
    'aud',
    'updated_at',
    'xms_edov',
    'custom_claims',
  );
  fc.assert(
    fc.property(issuer, fc.dictionary(names, fc.anything({ maxDepth: 2 })), (iss, claims) => {
      const profile = profileFromIdToken({ ...claims, iss });
      expect(typeof profile.claims.sub).toBe('string');
      expect(profile.claims).not.toHaveProperty('role');
    }),
  );
});
