/**
 * Defines the providers Keycloak, Slack, WorkOS and Zoom, and the providers with ID tokens: Apple, Google, LinkedIn,
 * Microsoft and Vercel.
 */

import type { JsonObject } from '../../common/json.ts';
import { claimsOf, soleEmail } from '../profile.ts';
import { type ApiSource, at, flagAt, idAt, numberAt, objectAt, type ProviderSpec, textAt } from './spec.ts';

export const issuers = {
  apple: 'https://appleid.apple.com',
  facebook: 'https://www.facebook.com',
  google: 'https://accounts.google.com',
  kakao: 'https://kauth.kakao.com',
  linkedin: 'https://www.linkedin.com/oauth',
  vercelMarketplace: 'https://marketplace.vercel.com',
} as const;

const apple: ProviderSpec = {
  authorize: at('appleid.apple.com', '/auth/authorize'),
  token: at('appleid.apple.com', '/auth/token'),
  scopes: ['email', 'name'],
  fixedScopes: true,
  clientAuth: 'post',
  // If the scopes `name` or `email` are requested, Apple supports only the response mode `form_post`.
  authorizeParams: { response_mode: 'form_post' },
  fixedParams: true,
  profile: { from: 'id-token', issuer: issuers.apple, otherwise: 'empty-profile' },
};

const azure: ProviderSpec = {
  authorize: at('login.microsoftonline.com/common', '/oauth2/v2.0/authorize'),
  token: at('login.microsoftonline.com/common', '/oauth2/v2.0/token'),
  scopes: ['openid'],
  clientAuth: 'post',
  profile: { from: 'id-token', issuer: undefined, otherwise: 'fail' },
};

const googleUser = at('www.googleapis.com', '/userinfo/v2/me');

const googleUserinfo: ApiSource = {
  from: 'api',
  issuer: googleUser,
  resources: { user: googleUser },
  read({ user }, { issuer }) {
    const id = textAt(user, 'id');
    const name = textAt(user, 'name');
    const picture = textAt(user, 'picture');
    const isVerified = flagAt(user, 'verified_email') || flagAt(user, 'email_verified');
    return {
      emails: soleEmail(textAt(user, 'email'), isVerified),
      claims: claimsOf({
        iss: issuer,
        sub: id,
        name,
        picture,
        avatar_url: picture,
        full_name: name,
        provider_id: id,
      }),
    };
  },
};

const google: ProviderSpec = {
  authorize: at('accounts.google.com', '/o/oauth2/v2/auth'),
  token: at('oauth2.googleapis.com', '/token'),
  scopes: ['email', 'profile'],
  clientAuth: 'post',
  profile: { from: 'id-token', issuer: issuers.google, otherwise: googleUserinfo },
};

const keycloakClaims = new Set(['name', 'sub', 'email', 'email_verified']);

const keycloak: ProviderSpec = {
  authorize: at('', '/protocol/openid-connect/auth'),
  token: at('', '/protocol/openid-connect/token'),
  scopes: ['profile', 'email'],
  needsUrl: true,
  profile: {
    from: 'api',
    issuer: at(''),
    resources: { user: at('', '/protocol/openid-connect/userinfo') },
    read({ user }, { issuer }) {
      const all = objectAt(user);
      const others = Object.entries(all).filter(([name]) => !keycloakClaims.has(name));
      const id = textAt(user, 'sub');
      const name = textAt(user, 'name');
      return {
        emails: soleEmail(textAt(user, 'email'), flagAt(user, 'email_verified')),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          custom_claims: Object.fromEntries(others) as JsonObject,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const linkedinOidc: ProviderSpec = {
  authorize: at('api.linkedin.com', '/oauth/v2/authorization'),
  token: at('api.linkedin.com', '/oauth/v2/accessToken'),
  scopes: ['openid', 'email', 'profile'],
  clientAuth: 'post',
  profile: { from: 'id-token', issuer: issuers.linkedin, otherwise: 'empty-profile' },
};

const slackOidc: ProviderSpec = {
  authorize: at('slack.com', '/openid/connect/authorize'),
  token: at('slack.com', '/api/openid.connect.token'),
  scopes: ['profile', 'email', 'openid'],
  profile: {
    from: 'api',
    issuer: at('slack.com', '/api'),
    resources: { user: at('slack.com', '/api/openid.connect.userInfo') },
    read({ user }, { issuer }) {
      const id = textAt(user, 'https://slack.com/user_id');
      const name = textAt(user, 'name');
      const picture = textAt(user, 'picture');
      return {
        emails: soleEmail(textAt(user, 'email'), flagAt(user, 'email_verified')),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          picture,
          custom_claims: { 'https://slack.com/team_id': textAt(user, 'https://slack.com/team_id') },
          avatar_url: picture,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const vercelMarketplace: ProviderSpec = {
  authorize: at('api.vercel.com', '/oauth/v2/authorization'),
  token: at('api.vercel.com', '/oauth/v2/accessToken'),
  scopes: [],
  profile: { from: 'id-token', issuer: issuers.vercelMarketplace, otherwise: 'fail' },
};

const workos: ProviderSpec = {
  authorize: at('api.workos.com', '/sso/authorize'),
  token: at('api.workos.com', '/sso/token'),
  scopes: [],
  fixedScopes: true,
  clientAuth: 'post',
  profile: {
    from: 'token',
    issuer: at('api.workos.com'),
    read({ issuer, token }) {
      const profile = objectAt(token.members, 'profile');
      const id = textAt(profile, 'id');
      const name = `${textAt(profile, 'first_name')} ${textAt(profile, 'last_name')}`.trim();
      return {
        emails: soleEmail(textAt(profile, 'email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          custom_claims: {
            connection_id: textAt(profile, 'connection_id'),
            organization_id: textAt(profile, 'organization_id'),
          },
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const zoom: ProviderSpec = {
  authorize: at('zoom.us', '/oauth/authorize'),
  token: at('zoom.us', '/oauth/token'),
  scopes: [],
  fixedScopes: true,
  profile: {
    from: 'api',
    issuer: at('api.zoom.us', '/v2'),
    resources: { user: at('api.zoom.us', '/v2/users/me') },
    read({ user }, { issuer }) {
      const id = textAt(user, 'id');
      const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim();
      const picture = textAt(user, 'pic_url');
      // In Zoom's API, login type 100 is a sign-in with an email address. Only users with this login type can have an
      // unverified address, because they must confirm the address by opening a link. With other login types, the
      // address comes from another source.
      const isVerified = idAt(user, 'login_type') !== '100' || numberAt(user, 'verified') !== 0;
      return {
        emails: soleEmail(textAt(user, 'email'), isVerified),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          picture,
          avatar_url: picture,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

export const work = {
  apple,
  azure,
  google,
  keycloak,
  linkedin_oidc: linkedinOidc,
  slack_oidc: slackOidc,
  vercel_marketplace: vercelMarketplace,
  workos,
  zoom,
};
