/** Every token that Plinth issues and the places that accept it; `test/security/token-kinds.test.ts` presents each at each. */
import { table } from './markdown.ts';

/** Where a token can be presented, and how. */
export const tokenPlaces = {
  rest: 'REST as bearer token',
  storage: 'Storage as bearer token',
  functions: 'a function with `verify_jwt`',
  realtime: 'joining a private realtime channel',
  user: "auth's `GET /user`",
  ownAccount: "auth's other user routes (`PUT /user`, `/factors`)",
  admin: "auth's admin routes",
  userinfo: '`/oauth/userinfo`',
  metrics: '`/metrics`',
  refresh: '`/token?grant_type=refresh_token`',
  oauthRefresh: '`/oauth/token` with `grant_type=refresh_token`',
  oauthCode: '`/oauth/token` with `grant_type=authorization_code`',
  idTokenGrant: '`/token?grant_type=id_token`',
  verify: '`/verify` as `token_hash`',
  download: 'the signed download URL of its object',
  upload: 'the signed upload URL of its object, as `token` or, with TUS, as `x-signature`',
  account: "Account's session cookie",
  console: "the Console's session cookie",
  consoleLink: "the Console's sign-in",
} as const;

export type TokenPlace = keyof typeof tokenPlaces;

export interface TokenEntry {
  readonly name: string;
  readonly form: string;
  readonly issuer: string;
  readonly audience: string;
  readonly lifetime: string;
  readonly places: readonly TokenPlace[];
}

const jwt = 'JWT, `typ: JWT`';
const random = 'random text, stored as a hash';
const auth = 'auth (`iss`: the API address + `/auth/v1`)';

/** The kinds that can be presented somewhere. */
export const tokenKinds = {
  access: {
    name: 'access token of a session',
    form: jwt,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '`auth.jwt_expiry` (1 hour)',
    places: ['rest', 'storage', 'functions', 'realtime', 'user', 'ownAccount', 'userinfo'],
  },
  oauthAccess: {
    name: 'access token of an OAuth client',
    form: `${jwt}, with \`client_id\``,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '`auth.jwt_expiry` (1 hour)',
    places: ['rest', 'storage', 'functions', 'realtime', 'user', 'userinfo'],
  },
  anonKey: {
    name: '`anon` key',
    form: jwt,
    issuer: '`supabase-demo`',
    audience: 'none',
    lifetime: '10 years',
    places: ['rest', 'storage', 'functions', 'realtime'],
  },
  serviceRoleKey: {
    name: '`service_role` key',
    form: jwt,
    issuer: '`supabase-demo`',
    audience: 'none',
    lifetime: '10 years',
    places: ['rest', 'storage', 'functions', 'realtime', 'admin', 'metrics'],
  },
  id: {
    name: 'ID token of an OAuth client',
    form: `${jwt}, without \`role\``,
    issuer: auth,
    audience: 'the client',
    lifetime: '1 hour',
    places: [],
  },
  refresh: {
    name: 'refresh token of a session',
    form: 'random text, rotated at every use',
    issuer: 'auth',
    audience: 'none',
    lifetime: "the session's",
    places: ['refresh'],
  },
  oauthRefresh: {
    name: 'refresh token of an OAuth client',
    form: 'random text, rotated at every use',
    issuer: 'auth',
    audience: 'the client',
    lifetime: "the grant's",
    places: ['oauthRefresh'],
  },
  oauthCode: {
    name: 'authorization code',
    form: 'random text, used once',
    issuer: 'auth',
    audience: 'the client',
    lifetime: '10 minutes',
    places: ['oauthCode'],
  },
  oneTime: {
    name: 'one-time token of an email',
    form: `${random}, used once`,
    issuer: 'auth',
    audience: 'none',
    lifetime: '`auth.email.otp_expiry` (1 hour)',
    places: ['verify'],
  },
  download: {
    name: 'signed download URL',
    form: 'JWT signed with the JWT secret, with `url`, without `role`',
    issuer: 'storage',
    audience: 'one key; with `objects`, only the object or owner it was signed for',
    lifetime: '`expiresIn` of the request',
    places: ['download'],
  },
  upload: {
    name: 'signed upload URL (also for TUS)',
    form: 'JWT signed with the JWT secret, with `url`, without `role`',
    issuer: 'storage',
    audience: 'one key; with `objects`, only that object, or another of its owner, is replaced',
    lifetime: '2 hours',
    places: ['upload'],
  },
  account: {
    name: 'session of the Account pages',
    form: random,
    issuer: 'Account',
    audience: 'none',
    lifetime: '30 days without a visit',
    places: ['account'],
  },
  console: {
    name: 'session of an operator',
    form: random,
    issuer: 'the Console',
    audience: 'none',
    lifetime: '12 hours',
    places: ['console'],
  },
  consoleLink: {
    name: 'sign-in link of an operator',
    form: `${random}, used once`,
    issuer: 'the Console',
    audience: 'none',
    lifetime: '10 minutes',
    places: ['consoleLink'],
  },
} as const satisfies Readonly<Record<string, TokenEntry>>;

/** Sent to others and never accepted here. */
const outgoing: readonly TokenEntry[] = [
  {
    name: 'signature of an auth hook',
    form: 'HMAC (Standard Webhooks)',
    issuer: 'auth',
    audience: "the hook's server",
    lifetime: 'one request',
    places: [],
  },
];

export function tokensBlock(): string {
  const rows = [...Object.values<TokenEntry>(tokenKinds), ...outgoing].map((entry) => [
    entry.name,
    entry.form,
    entry.issuer,
    entry.audience,
    entry.lifetime,
    entry.places.length === 0 ? 'nowhere' : entry.places.map((place) => tokenPlaces[place]).join('; '),
  ]);
  return table(['token', 'form', 'issuer', 'audience', 'lifetime', 'accepted by'], rows);
}
