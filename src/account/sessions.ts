/**
 * Stores sessions on behalf of browsers. A cookie identifies a row, which contains the token pair, sealed with a key
 * derived from the cookie. Access tokens that this module returns are valid for at least another minute.
 */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { AuthRejection } from '../shared/auth-rejection.ts';
import type { AuthClient, AuthUser, Caller, TokenPair } from './auth-client.ts';
import { cookieBytes, parseCookieValue, seal, sessionIdOf, unseal } from './core/seal.ts';
import * as queries from './queries.ts';

/** A browser that has been inactive for this long must sign in again. */
const idleLimitMs = 30 * 24 * 3600 * 1000;
/** A token that expires within this time is refreshed before it is used. */
const refreshAheadMs = 60_000;

type Tokens = Pick<TokenPair, 'access_token' | 'refresh_token' | 'expires_at'>;

export interface OpenSession {
  /** The value of the cookie. */
  readonly cookie: string;
  readonly tokens: Tokens;
}

export interface SessionStore {
  /** Creates a row and a new cookie. The browser's previous cookie is never reused. */
  open(pair: TokenPair): Promise<OpenSession>;
  /** Returns the stored session for a cookie, or undefined if there is none. */
  find(cookie: string | undefined): Promise<OpenSession | undefined>;
  /** Stores a new token pair under the same cookie, for example after a factor was verified. */
  replace(session: OpenSession, pair: TokenPair): Promise<OpenSession>;
  /**
   * Returns the session with a valid access token, refreshed if it expires soon or if `force` is set. Returns
   * undefined if the session has ended.
   */
  fresh(session: OpenSession, caller: Caller, force: boolean): Promise<OpenSession | undefined>;
  /**
   * Returns the current user from auth. If auth reports that the session has ended, deletes the row and returns
   * undefined.
   */
  user(session: OpenSession, caller: Caller): Promise<AuthUser | undefined>;
  close(session: OpenSession): Promise<void>;
  removeExpired(): Promise<void>;
}

export interface SessionStoreDeps {
  readonly db: Queryable;
  readonly auth: AuthClient;
  readonly clock: Clock;
}

/** Auth's error codes for a session, user or refresh token that doesn't exist anymore. */
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
  return error instanceof AuthRejection && endings.has(error.code);
}

export function createSessionStore({ db, auth, clock }: SessionStoreDeps): SessionStore {
  /** Each session is refreshed by only one caller at a time in this process. Concurrent callers wait for the result. */
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
    // Another process refreshed the session first. Both processes received valid tokens, so the pair that the other
    // process stored is used.
    return (await read(cookie))?.session ?? { cookie, tokens };
  }

  async function close({ cookie }: OpenSession): Promise<void> {
    await queries.deleteSession(db, sessionIdOf(Buffer.from(cookie, 'base64url')));
  }

  async function refresh(session: OpenSession, caller: Caller): Promise<OpenSession | undefined> {
    const stored = await read(session.cookie);
    if (stored === undefined) return undefined;
    try {
      const pair = await auth.visitor(caller).refresh(stored.session.tokens.refresh_token);
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
      const inFlight = refreshing.get(session.cookie);
      if (inFlight !== undefined) return inFlight;
      const work = refresh(session, caller).finally(() => refreshing.delete(session.cookie));
      refreshing.set(session.cookie, work);
      return work;
    },

    async user(session, caller) {
      try {
        return await auth.user(caller, session).read();
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
