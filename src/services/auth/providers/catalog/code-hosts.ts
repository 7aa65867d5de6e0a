/** Defines the providers Bitbucket, Figma, Fly, GitHub, GitLab and Notion. */

import type { Json } from '../../common/json.ts';
import { claimsOf, soleEmail } from '../profile.ts';
import { at, flagAt, idAt, listAt, numberAt, objectAt, type ProviderSpec, textAt, valueAt } from './spec.ts';

const bitbucket: ProviderSpec = {
  authorize: at('bitbucket.org', '/site/oauth2/authorize'),
  token: at('bitbucket.org', '/site/oauth2/access_token'),
  scopes: ['account', 'email'],
  fixedScopes: true,
  profile: {
    from: 'api',
    issuer: at('api.bitbucket.org', '/2.0'),
    resources: {
      user: at('api.bitbucket.org', '/2.0/user'),
      emails: at('api.bitbucket.org', '/2.0/user/emails'),
    },
    read({ user, emails }, { issuer }) {
      const id = textAt(user, 'uuid');
      const name = textAt(user, 'display_name');
      const picture = textAt(user, 'avatar', 'href');
      return {
        emails: listAt(emails, 'values')
          .map((each) => ({
            email: textAt(each, 'email'),
            verified: flagAt(each, 'is_confirmed'),
            primary: flagAt(each, 'is_primary'),
          }))
          .filter(({ email }) => email !== ''),
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

const figma: ProviderSpec = {
  authorize: at('www.figma.com', '/oauth'),
  token: at('api.figma.com', '/v1/oauth/token'),
  scopes: ['current_user:read'],
  profile: {
    from: 'api',
    issuer: at('api.figma.com'),
    resources: { user: at('api.figma.com', '/v1/me') },
    read({ user }, { issuer }) {
      const id = idAt(user, 'id');
      const name = textAt(user, 'handle');
      return {
        emails: soleEmail(textAt(user, 'email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          avatar_url: textAt(user, 'img_url'),
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const fly: ProviderSpec = {
  authorize: at('api.fly.io', '/oauth/authorize'),
  token: at('api.fly.io', '/oauth/token'),
  scopes: ['read'],
  profile: {
    from: 'api',
    issuer: at('api.fly.io'),
    resources: { user: at('api.fly.io', '/oauth/token/info') },
    read({ user }, { issuer }) {
      const id = textAt(user, 'user_id');
      return {
        emails: soleEmail(textAt(user, 'email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          full_name: textAt(user, 'user_name'),
          provider_id: id,
          custom_claims: {
            resource_owner_id: textAt(user, 'resource_owner_id'),
            organizations: listAt(user, 'organizations').map((each) => ({
              id: textAt(each, 'id'),
              role: textAt(each, 'role'),
            })),
            application: objectAt(user, 'application'),
            scope: [...listAt(user, 'scope')] as Json[],
            created_at: numberAt(user, 'created_at'),
          },
        }),
      };
    },
  },
};

const github: ProviderSpec = {
  authorize: at('github.com', '/login/oauth/authorize'),
  token: at('github.com', '/login/oauth/access_token'),
  scopes: ['user:email'],
  clientAuth: 'post',
  profile: {
    from: 'api',
    // The API of GitHub Enterprise Server is at the path /api/v3.
    issuer: at('api.github.com', '', '/api/v3'),
    resources: {
      user: at('api.github.com', '/user', '/api/v3/user'),
      emails: at('api.github.com', '/user/emails', '/api/v3/user/emails'),
    },
    read({ user, emails }, { issuer }) {
      const id = idAt(user, 'id');
      const name = textAt(user, 'name');
      const login = textAt(user, 'login');
      return {
        emails: listAt(emails)
          .map((each) => ({
            email: textAt(each, 'email'),
            verified: flagAt(each, 'verified'),
            primary: flagAt(each, 'primary'),
          }))
          .filter(({ email }) => email !== ''),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          preferred_username: login,
          avatar_url: textAt(user, 'avatar_url'),
          full_name: name,
          provider_id: id,
          user_name: login,
        }),
      };
    },
  },
};

const gitlab: ProviderSpec = {
  authorize: at('gitlab.com', '/oauth/authorize'),
  token: at('gitlab.com', '/oauth/token'),
  scopes: ['read_user'],
  profile: {
    from: 'api',
    issuer: at('gitlab.com'),
    resources: {
      user: at('gitlab.com', '/api/v4/user'),
      emails: at('gitlab.com', '/api/v4/user/emails'),
    },
    read({ user, emails }, { issuer }) {
      const id = idAt(user, 'id');
      const name = textAt(user, 'name');
      const picture = textAt(user, 'avatar_url');
      const isConfirmed = textAt(user, 'confirmed_at') !== '';
      // GitLab doesn't report whether a user's additional addresses are confirmed.
      const others = listAt(emails)
        .map((each) => ({ email: textAt(each, 'email'), verified: false, primary: false }))
        .filter(({ email }) => email !== '');
      return {
        emails: [...others, ...soleEmail(textAt(user, 'email'), isConfirmed)],
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

const notion: ProviderSpec = {
  authorize: at('api.notion.com', '/v1/oauth/authorize'),
  token: at('api.notion.com', '/v1/oauth/token'),
  scopes: [],
  fixedScopes: true,
  profile: {
    from: 'api',
    issuer: at('api.notion.com'),
    resources: { user: at('api.notion.com', '/v1/users/me') },
    headers: () => ({ 'notion-version': '2021-08-16' }),
    read({ user }, { issuer }) {
      const person = valueAt(user, 'bot', 'owner', 'user');
      const id = textAt(person, 'id');
      const name = textAt(person, 'name');
      const picture = textAt(person, 'avatar_url');
      return {
        // Notion doesn't report whether an address is verified. Upstream treats the address as verified.
        emails: soleEmail(textAt(person, 'person', 'email'), true),
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

export const codeHosts = { bitbucket, figma, fly, github, gitlab, notion };
