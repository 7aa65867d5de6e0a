/** Defines the providers Discord, Facebook, Kakao, Snapchat, Spotify, Twitch and X. */
import { createHmac } from 'node:crypto';
import { claimsOf, soleEmail } from '../profile.ts';
import { at, flagAt, idAt, listAt, numberAt, type ProviderSpec, textAt, valueAt } from './spec.ts';

const discord: ProviderSpec = {
  authorize: at('discord.com', '/api/oauth2/authorize'),
  token: at('discord.com', '/api/oauth2/token'),
  scopes: ['email', 'identify'],
  profile: {
    from: 'api',
    issuer: at('discord.com', '/api'),
    resources: { user: at('discord.com', '/api/users/@me') },
    read({ user }, { issuer }) {
      const id = textAt(user, 'id');
      const name = textAt(user, 'username');
      const picture = discordAvatar(user);
      return {
        emails: soleEmail(textAt(user, 'email'), flagAt(user, 'verified')),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name: `${name}#${textAt(user, 'discriminator')}`,
          picture,
          custom_claims: { global_name: textAt(user, 'global_name') },
          avatar_url: picture,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

/** Returns the URL of the user's avatar (https://discord.com/developers/docs/reference#image-formatting). */
function discordAvatar(user: unknown): string {
  const avatar = textAt(user, 'avatar');
  if (avatar === '') {
    const number = Number.parseInt(textAt(user, 'discriminator'), 10) || 0;
    return `https://cdn.discordapp.com/embed/avatars/${number % 5}.png`;
  }
  const extension = avatar.startsWith('a_') ? 'gif' : 'png';
  return `https://cdn.discordapp.com/avatars/${textAt(user, 'id')}/${avatar}.${extension}`;
}

const facebookProfile = at('graph.facebook.com', '/me?fields=email,first_name,last_name,name,picture');

const facebook: ProviderSpec = {
  authorize: at('www.facebook.com', '/dialog/oauth'),
  token: at('graph.facebook.com', '/oauth/access_token'),
  scopes: ['email'],
  clientAuth: 'post',
  profile: {
    from: 'api',
    issuer: facebookProfile,
    resources: { user: facebookProfile },
    // This parameter proves that the token was issued to this app. Without the proof, Facebook would accept tokens that
    // were issued to other apps (developers.facebook.com, "Securing Graph API Requests").
    query: ({ accessToken, secret }) => ({
      appsecret_proof: createHmac('sha256', secret).update(accessToken).digest('hex'),
    }),
    read({ user }, { issuer }) {
      const id = idAt(user, 'id');
      const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim();
      const nickname = textAt(user, 'name');
      const picture = textAt(user, 'picture', 'data', 'url');
      return {
        // Facebook returns only confirmed addresses.
        emails: soleEmail(textAt(user, 'email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          nickname,
          picture,
          slug: nickname,
          avatar_url: picture,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const kakao: ProviderSpec = {
  authorize: at('kauth.kakao.com', '/oauth/authorize'),
  token: at('kauth.kakao.com', '/oauth/token'),
  scopes: ['account_email', 'profile_image', 'profile_nickname'],
  clientAuth: 'post',
  profile: {
    from: 'api',
    issuer: at('kapi.kakao.com'),
    resources: { user: at('kapi.kakao.com', '/v2/user/me') },
    read({ user }, { issuer }) {
      const id = idAt(user, 'id');
      const account = valueAt(user, 'kakao_account');
      const name = textAt(account, 'profile', 'nickname');
      const isVerified = flagAt(account, 'is_email_verified') && flagAt(account, 'is_email_valid');
      return {
        emails: soleEmail(textAt(account, 'email'), isVerified),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          preferred_username: name,
          avatar_url: textAt(account, 'profile', 'profile_image_url'),
          full_name: name,
          provider_id: id,
          user_name: name,
        }),
      };
    },
  },
};

export const snapchatIssuer = 'https://accounts.snapchat.com/accounts/oauth2/token';

const snapchat: ProviderSpec = {
  authorize: at('accounts.snapchat.com', '/accounts/oauth2/auth'),
  token: at('accounts.snapchat.com', '/accounts/oauth2/token'),
  scopes: [
    'https://auth.snapchat.com/oauth2/api/user.external_id',
    'https://auth.snapchat.com/oauth2/api/user.display_name',
    'https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar',
  ],
  profile: {
    from: 'api',
    issuer: at('kit.snapchat.com'),
    resources: { user: at('kit.snapchat.com', '/v1/me') },
    query: () => ({ query: '{me { externalId displayName bitmoji { avatar id } email } }' }),
    read({ user }) {
      const me = valueAt(user, 'data', 'me');
      const id = textAt(me, 'externalId');
      const name = textAt(me, 'displayName');
      const picture = textAt(me, 'bitmoji', 'avatar');
      return {
        emails: soleEmail(textAt(me, 'email'), true),
        claims: claimsOf({
          iss: snapchatIssuer,
          sub: id,
          name,
          picture,
          slug: name,
          avatar_url: picture,
          full_name: name,
          provider_id: id,
        }),
      };
    },
  },
};

const spotify: ProviderSpec = {
  authorize: at('accounts.spotify.com', '/authorize'),
  token: at('accounts.spotify.com', '/api/token'),
  scopes: ['user-read-email'],
  profile: {
    from: 'api',
    issuer: at('api.spotify.com/v1'),
    resources: { user: at('api.spotify.com/v1', '/me') },
    read({ user }, { issuer }) {
      const id = textAt(user, 'id');
      const name = textAt(user, 'display_name');
      const size = (image: unknown) => numberAt(image, 'height') * numberAt(image, 'width');
      const largest = listAt(user, 'images').reduce<unknown>(
        (best, image) => (best === undefined || size(image) > size(best) ? image : best),
        undefined,
      );
      const picture = textAt(largest, 'url');
      return {
        // According to Spotify's documentation, the address isn't verified (Web API, "Get Current User's Profile").
        emails: soleEmail(textAt(user, 'email'), false),
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

const twitch: ProviderSpec = {
  authorize: at('id.twitch.tv', '/oauth2/authorize'),
  token: at('id.twitch.tv', '/oauth2/token'),
  scopes: ['user:read:email'],
  clientAuth: 'post',
  profile: {
    from: 'api',
    issuer: at('api.twitch.tv'),
    resources: { users: at('api.twitch.tv', '/helix/users') },
    headers: (clientId) => ({ 'client-id': clientId }),
    read({ users }, { issuer }) {
      const user = valueAt(users, 'data', 0);
      const id = textAt(user, 'id');
      const login = textAt(user, 'login');
      const nickname = textAt(user, 'display_name');
      const picture = textAt(user, 'profile_image_url');
      return {
        emails: soleEmail(textAt(user, 'email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          picture,
          name: login,
          nickname,
          custom_claims: {
            broadcaster_type: textAt(user, 'broadcaster_type'),
            description: textAt(user, 'description'),
            type: textAt(user, 'type'),
            offline_image_url: textAt(user, 'offline_image_url'),
            view_count: numberAt(user, 'view_count'),
          },
          slug: nickname,
          avatar_url: picture,
          full_name: login,
          provider_id: id,
        }),
      };
    },
  },
};

const x: ProviderSpec = {
  authorize: at('x.com', '/i/oauth2/authorize'),
  token: at('api.x.com', '/2/oauth2/token'),
  scopes: ['users.email', 'tweet.read', 'users.read', 'offline.access'],
  pkce: true,
  profile: {
    from: 'api',
    issuer: at('api.x.com'),
    resources: {
      user: at(
        'api.x.com',
        '/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at',
      ),
    },
    read({ user }, { issuer }) {
      const data = valueAt(user, 'data');
      const id = textAt(data, 'id');
      const name = textAt(data, 'name');
      const username = textAt(data, 'username');
      const picture = textAt(data, 'profile_image_url');
      return {
        emails: soleEmail(textAt(data, 'confirmed_email'), true),
        claims: claimsOf({
          iss: issuer,
          sub: id,
          name,
          preferred_username: username,
          picture,
          profile: `https://x.com/${username}`,
          website: textAt(data, 'url'),
          custom_claims: { created_at: textAt(data, 'created_at') },
          avatar_url: picture,
          full_name: name,
          provider_id: id,
          user_name: username,
        }),
      };
    },
  },
};

export const social = { discord, facebook, kakao, snapchat, spotify, twitch, x };
