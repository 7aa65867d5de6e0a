/**
 * Stores browser sessions. A cookie identifies the session's row. The row contains the token pair, encrypted with a key
 * that is derived from the cookie. Access tokens that this module returns are valid for at least one more minute.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/kernel/clock.ts';
import { AuthRejection } from '../../base/shared/errors.ts';
import type { Queryable } from '../../platform/database/types.ts';
import type { AuthClient, AuthUser, Caller, TokenPair } from './auth-client.ts';
import { cookieBytes, parseCookieValue, seal, sessionIdOf, unseal } from './core/seal.ts';
import { limitOf, parseEnding } from './core/session-endings.ts';
import * as queries from './queries.ts';
import type { Ending } from './types.ts';

/** The user must sign in again after this period of inactivity. */
const idleLimitMs = 30 * 24 * 3600 * 1000;
/** Access tokens that expire within this duration are refreshed before they are used. */
const refreshAheadMs = 60_000;

type Tokens = Pick<TokenPair, 'access_token' | 'refresh_token' | 'expires_at'>;

export interface OpenSession {
  /** The value of the cookie. */
  readonly cookie: string;
  readonly tokens: Tokens;
}

export interface SessionStore {
  /** Creates a session row and a new cookie. The browser's previous cookie is never reused. */
  open(pair: TokenPair): Promise<OpenSession>;
  /** Returns the session that is stored for a cookie, or undefined if no session is stored. */
  find(cookie: string | undefined): Promise<OpenSession | undefined>;
  /** Stores a new token pair for the same cookie, for example after the user has verified a factor. */
  replace(session: OpenSession, pair: TokenPair): Promise<OpenSession>;
  /**
   * Returns the session with a valid access token. Refreshes the access token if it expires soon or if `force` is set.
   * Returns undefined if the session has ended.
   */
  fresh(session: OpenSession, caller: Caller, force: boolean): Promise<OpenSession | undefined>;
  /**
   * Returns the reason why the auth service ended the session of a cookie. Returns undefined if the session hasn't
   * ended or never existed.
   */
  ending(cookie: string | undefined): Promise<Ending | undefined>;
  /**
   * Returns the session's user as the auth service currently describes them. If the auth service reports that the
   * session has ended, keeps only the reason in the row and returns undefined.
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

/** The auth service's error codes for a session, user or refresh token that no longer exists. */
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
  /**
   * The token refreshes that are in progress in this process. Concurrent callers for the same session share one
   * refresh.
   */
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
    // Another process refreshed the session first. Both token pairs are valid, so this process uses the pair that the
    // other process stored.
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
      await finish(session, caller, error);
      return undefined;
    }
  }

  /** If the error means that the auth service has ended the session, stores the reason. Rethrows all other errors. */
  async function finish({ cookie, tokens }: OpenSession, caller: Caller, error: unknown): Promise<void> {
    if (!(error instanceof AuthRejection && isEnding(error))) throw error;
    const { sub: userId, iat } = claimsOf(tokens);
    const ended = { userId, sinceMs: iat * 1000 };
    const reason: Ending = limitOf(error) ?? (await auth.visitor(caller).explainEnding(ended)) ?? 'other';
    await queries.endSession(db, sessionIdOf(Buffer.from(cookie, 'base64url')), reason);
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
        await finish(session, caller, error);
        return undefined;
      }
    },

    async ending(cookie) {
      const secret = parseCookieValue(cookie);
      if (secret === undefined) return undefined;
      return parseEnding(await queries.findEnding(db, sessionIdOf(secret), new Date(clock.now())));
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

/** The access token's signature isn't checked, because this server stored the token. */
function claimsOf({ access_token: token }: Tokens): { readonly sub: string; readonly iat: number } {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return JSON.parse(payload) as { sub: string; iat: number };
}
