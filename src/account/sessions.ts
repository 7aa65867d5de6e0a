/**
 * The sessions that the server holds for browsers. A cookie stands for a row; the row holds the token pair, sealed with
 * a key made from the cookie. Whoever wants an access token gets one that lives for another minute at least.
 */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AuthClient, AuthUser, Caller, TokenPair } from './auth-client.ts';
import { cookieBytes, parseCookieValue, seal, sessionIdOf, unseal } from './core/seal.ts';
import { AuthRefusal } from './errors.ts';
import * as queries from './queries.ts';

/** A browser that has not been here for this long signs in again. */
const idleLimitMs = 30 * 24 * 3600 * 1000;
/** Tokens with less than this to live are refreshed before they are handed out. */
const refreshAheadMs = 60_000;

type Tokens = Pick<TokenPair, 'access_token' | 'refresh_token' | 'expires_at'>;

export interface OpenSession {
  /** The cookie's value. */
  readonly cookie: string;
  readonly tokens: Tokens;
}

export interface SessionStore {
  /** A new row under a new cookie: whatever cookie the browser had before is never used again. */
  open(pair: TokenPair): Promise<OpenSession>;
  /** The session of a cookie as it is stored; undefined when there is none. */
  find(cookie: string | undefined): Promise<OpenSession | undefined>;
  /** Stores a new pair (a factor was verified) under the same cookie. */
  replace(session: OpenSession, pair: TokenPair): Promise<OpenSession>;
  /** With an access token that is still good; refreshed when near its end, or when `force`d. Undefined: it has ended. */
  fresh(session: OpenSession, caller: Caller, force: boolean): Promise<OpenSession | undefined>;
  /** The user as auth knows them now; undefined (and the row is gone) when auth says that the session has ended. */
  user(session: OpenSession, caller: Caller): Promise<AuthUser | undefined>;
  close(session: OpenSession): Promise<void>;
  removeExpired(): Promise<void>;
}

export interface SessionStoreDeps {
  readonly db: Queryable;
  readonly auth: AuthClient;
  readonly clock: Clock;
}

/** Auth's ways to say that a session, its user or its refresh token is no more. */
const endings = new Set([
  'session_not_found',
  'session_expired',
  'user_not_found',
  'user_banned',
  'refresh_token_not_found',
  'refresh_token_already_used',
  'bad_jwt',
]);

export function isEnding(error: unknown): boolean {
  return error instanceof AuthRefusal && endings.has(error.code);
}

export function createSessionStore({ db, auth, clock }: SessionStoreDeps): SessionStore {
  /** One refresh at a time for each session of this process; others wait for its result. */
  const refreshing = new Map<string, Promise<OpenSession | undefined>>();

  const expiry = (): Date => new Date(clock.now() + idleLimitMs);

  async function read(
    cookie: string | undefined,
  ): Promise<{ session: OpenSession; version: number } | undefined> {
    const secret = parseCookieValue(cookie);
    if (secret === undefined) return undefined;
    const row = await queries.findSession(db, sessionIdOf(secret), new Date(clock.now()));
    const tokens = row === undefined ? undefined : (unseal(row.sealed, secret) as Tokens | undefined);
    if (row === undefined || tokens === undefined) return undefined;
    return { session: { cookie: secret.toString('base64url'), tokens }, version: row.version };
  }

  async function write(cookie: string, pair: Tokens, version: number): Promise<OpenSession> {
    const secret = Buffer.from(cookie, 'base64url');
    const tokens = tokensOf(pair);
    const change = {
      sealed: seal(tokens, secret, randomBytes(12)),
      expiresAt: expiry(),
      now: new Date(clock.now()),
      version,
    };
    if (await queries.updateSession(db, sessionIdOf(secret), change)) return { cookie, tokens };
    // Another process was quicker. Auth has given both the same family of tokens, and its newest pair counts.
    return (await read(cookie))?.session ?? { cookie, tokens };
  }

  async function close({ cookie }: OpenSession): Promise<void> {
    await queries.deleteSession(db, sessionIdOf(Buffer.from(cookie, 'base64url')));
  }

  async function refresh(session: OpenSession, caller: Caller): Promise<OpenSession | undefined> {
    const stored = await read(session.cookie);
    if (stored === undefined) return undefined;
    try {
      const pair = await auth.call<TokenPair>(caller, {
        method: 'POST',
        path: '/token?grant_type=refresh_token',
        body: { refresh_token: stored.session.tokens.refresh_token },
      });
      return await write(session.cookie, pair, stored.version);
    } catch (error) {
      if (!isEnding(error)) throw error;
      await close(session);
      return undefined;
    }
  }

  return {
    async open(pair) {
      const secret = randomBytes(cookieBytes);
      const tokens = tokensOf(pair);
      await queries.insertSession(db, {
        id: sessionIdOf(secret),
        userId: pair.user.id,
        sealed: seal(tokens, secret, randomBytes(12)),
        expiresAt: expiry(),
      });
      return { cookie: secret.toString('base64url'), tokens };
    },

    async find(cookie) {
      return (await read(cookie))?.session;
    },

    async replace(session, pair) {
      const stored = await read(session.cookie);
      return stored === undefined ? this.open(pair) : write(session.cookie, pair, stored.version);
    },

    async fresh(session, caller, force) {
      if (!force && session.tokens.expires_at * 1000 - clock.now() > refreshAheadMs) return session;
      const underWay = refreshing.get(session.cookie);
      if (underWay !== undefined) return underWay;
      const work = refresh(session, caller).finally(() => refreshing.delete(session.cookie));
      refreshing.set(session.cookie, work);
      return work;
    },

    async user(session, caller) {
      try {
        return await auth.call<AuthUser>(caller, {
          method: 'GET',
          path: '/user',
          accessToken: session.tokens.access_token,
        });
      } catch (error) {
        if (!isEnding(error)) throw error;
        await close(session);
        return undefined;
      }
    },

    close,

    async removeExpired() {
      await queries.deleteExpiredSessions(db, new Date(clock.now()));
    },
  };
}

function tokensOf({ access_token, refresh_token, expires_at }: Tokens): Tokens {
  return { access_token, refresh_token, expires_at };
}
