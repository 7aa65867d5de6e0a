/**
 * All token types that Plinth issues, with the endpoints that accept them. `test/security/token-kinds.test.ts` sends
 * each type to each endpoint.
 */
import { table } from './markdown.ts';

/** The endpoints that accept tokens. */
export const tokenPlaces = {
  rest: 'REST (bearer token)',
  storage: 'Storage (bearer token)',
  functions: 'functions with `verify_jwt`',
  realtime: 'private realtime channels',
  user: 'auth `GET /user`',
  ownAccount: 'other auth user routes (`PUT /user`, `/factors`)',
  admin: 'auth admin routes',
  userinfo: '`/oauth/userinfo`',
  metrics: '`/metrics`',
  refresh: '`/token?grant_type=refresh_token`',
  oauthRefresh: '`/oauth/token` with `grant_type=refresh_token`',
  oauthCode: '`/oauth/token` with `grant_type=authorization_code`',
  idTokenGrant: '`/token?grant_type=id_token`',
  verify: '`/verify` as `token_hash`',
  download: 'the signed download URL',
  upload: 'the signed upload URL, as `token` or (with TUS) `x-signature`',
  account: 'the Account session cookie',
  console: 'the Console session cookie',
  consoleLink: 'Console sign-in',
  management: 'Management API (bearer token)',
  mcp: 'MCP (bearer token)',
  agentRefresh: "the Console's `/oauth/token` with `grant_type=refresh_token`",
  agentCode: "the Console's `/oauth/token` with `grant_type=authorization_code`",
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
const random = 'random string, stored as a hash';
const auth = 'auth (`iss`: the API URL + `/auth/v1`)';

/** The token types that at least one endpoint accepts, and the ID token. */
export const tokenKinds = {
  access: {
    name: 'session access token',
    form: jwt,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '`auth.jwt_expiry` (1 hour)',
    places: ['rest', 'storage', 'functions', 'realtime', 'user', 'ownAccount', 'userinfo'],
  },
  oauthAccess: {
    name: 'OAuth client access token',
    form: `${jwt}, with \`client_id\``,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '`auth.jwt_expiry` (1 hour)',
    places: ['rest', 'storage', 'functions', 'realtime', 'user', 'userinfo'],
  },
  machine: {
    name: 'machine-to-machine access token',
    form: `${jwt}, with \`client_id\` and without \`sub\``,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '5 minutes',
    places: ['rest', 'storage', 'functions', 'realtime'],
  },
  userKey: {
    name: 'API key of a user',
    form: '`plinth_uk_` and 46 letters and digits, stored as a hash',
    issuer: 'auth',
    audience: 'none',
    lifetime: '90 days, or as requested (up to 365 days)',
    places: ['rest', 'storage', 'functions'],
  },
  userKeyToken: {
    name: 'token that the gateway derives from an API key of a user',
    form: `${jwt}, with \`key_id\` and without \`session_id\``,
    issuer: auth,
    audience: '`authenticated`',
    lifetime: '2 minutes (for functions: 7 minutes)',
    places: ['rest', 'storage', 'functions', 'realtime', 'user'],
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
  temporary: {
    name: 'token that the gateway derives from an `sb_secret_` key (`sb_publishable_`: like the `anon` key)',
    form: jwt,
    issuer: '`supabase-demo`',
    audience: 'none',
    lifetime: '2 minutes (for functions: 7 minutes)',
    places: ['rest', 'storage', 'functions', 'realtime', 'admin', 'metrics'],
  },
  id: {
    name: 'OAuth client ID token',
    form: `${jwt}, without \`role\``,
    issuer: auth,
    audience: 'the client',
    lifetime: '1 hour',
    places: [],
  },
  refresh: {
    name: 'session refresh token',
    form: 'random string, rotated at every use',
    issuer: 'auth',
    audience: 'none',
    lifetime: 'until the session ends',
    places: ['refresh'],
  },
  oauthRefresh: {
    name: 'OAuth client refresh token',
    form: 'random string, rotated at every use',
    issuer: 'auth',
    audience: 'the client',
    lifetime: 'until the grant ends',
    places: ['oauthRefresh'],
  },
  oauthCode: {
    name: 'authorization code',
    form: 'random string, single use',
    issuer: 'auth',
    audience: 'the client',
    lifetime: '10 minutes',
    places: ['oauthCode'],
  },
  oneTime: {
    name: 'one-time token from an email',
    form: 'random string, stored as it is (as in upstream), single use',
    issuer: 'auth',
    audience: 'none',
    lifetime: '`auth.email.otp_expiry` (1 hour), for invitations `auth.mailer.invitation_expiry` (7 days)',
    places: ['verify'],
  },
  download: {
    name: 'signed download URL',
    form: 'JWT signed with the JWT secret, with `url` and without `role`',
    issuer: 'storage',
    audience:
      'one object key; if the token contains `objects`, only the object for which it was signed, or another object of the same owner',
    lifetime: '`expiresIn` in the request',
    places: ['download'],
  },
  upload: {
    name: 'signed upload URL (also for TUS)',
    form: 'JWT signed with the JWT secret, with `url` and without `role`',
    issuer: 'storage',
    audience:
      'one object key; if the token contains `objects`, it can replace only the object for which it was signed, or another object of the same owner',
    lifetime: '2 hours',
    places: ['upload'],
  },
  account: {
    name: 'Account session',
    form: random,
    issuer: 'Account',
    audience: 'none',
    lifetime: '30 days of inactivity',
    places: ['account'],
  },
  console: {
    name: 'operator session',
    form: random,
    issuer: 'the Console',
    audience: 'none',
    lifetime: '12 hours',
    places: ['console'],
  },
  consoleLink: {
    name: 'operator sign-in link',
    form: `${random}, single use`,
    issuer: 'the Console',
    audience: 'none',
    lifetime: '10 minutes',
    places: ['consoleLink'],
  },
  operatorToken: {
    name: 'operator access token',
    form: '`sbp_` and 40 hexadecimal digits, stored as a hash',
    issuer: '`plinth operators token create`',
    audience: 'none',
    lifetime: '90 days, or as requested',
    places: ['management', 'mcp'],
  },
  agentAccess: {
    name: "agent's access token",
    form: '`plinth_at_` and a random string, stored as a hash',
    issuer: 'the Console, after an operator has approved the agent',
    audience: 'the MCP endpoint',
    lifetime: '1 hour',
    places: ['mcp'],
  },
  agentRefresh: {
    name: "agent's refresh token",
    form: `${random}, rotated at every use`,
    issuer: 'the Console, after an operator has approved the agent',
    audience: 'the agent',
    lifetime: '1, 7, 30 or 90 days after the approval',
    places: ['agentRefresh'],
  },
  agentCode: {
    name: "agent's authorization code",
    form: `${random}, single use`,
    issuer: 'the Console, after an operator has approved the agent',
    audience: 'the agent',
    lifetime: '2 minutes',
    places: ['agentCode'],
  },
} as const satisfies Readonly<Record<string, TokenEntry>>;

/** The tokens that Plinth sends to other servers but never accepts itself. */
const outgoing: readonly TokenEntry[] = [
  {
    name: 'auth hook signature',
    form: 'HMAC (Standard Webhooks)',
    issuer: 'auth',
    audience: 'the hook server',
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
    entry.places.length === 0 ? 'none' : entry.places.map((place) => tokenPlaces[place]).join('; '),
  ]);
  return table(['Token', 'Format', 'Issuer', 'Audience', 'Lifetime', 'Accepted by'], rows);
}
