/**
 * Identifies the visitor. The request's cookie identifies the session, and the auth service returns the session's user.
 */
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../base/kernel/log.ts';
import type { AuthUser } from './auth-client.ts';
import { sessionCookie } from './core/cookies.ts';
import { knownProvider } from './core/providers.ts';
import { AccountError } from './errors.ts';
import { cookieOf } from './request-cookies.ts';
import type { OpenSession, SessionStore } from './sessions.ts';
import type { Ending } from './types.ts';

export interface Visitor {
  /** The visitor's session, whose access token is valid for at least another minute. */
  readonly session: OpenSession;
  readonly user: AuthUser;
}

export interface Visitors {
  /**
   * Returns the visitor, or undefined if the visitor isn't signed in. If `force` is set, refreshes the access token.
   */
  present(request: FastifyRequest, force?: boolean): Promise<Visitor | undefined>;
  /** Returns the visitor. @throws {AccountError} not_signed_in */
  needed(request: FastifyRequest): Promise<Visitor>;
}

export function createVisitors(sessions: SessionStore): Visitors {
  async function present(request: FastifyRequest, force = false): Promise<Visitor | undefined> {
    const found = await sessions.find(cookieOf(request, sessionCookie));
    const session = found === undefined ? undefined : await sessions.fresh(found, request, force);
    const user = session === undefined ? undefined : await sessions.user(session, request);
    return session === undefined || user === undefined ? undefined : { session, user };
  }
  return {
    present,
    async needed(request) {
      const found = await present(request);
      if (found === undefined) throw new AccountError('not_signed_in');
      return found;
    },
  };
}

/**
 * Returns the name by which the user recognizes the account. Returns an empty string for guests and wallet accounts.
 */
export const accountName = ({ email, phone }: AuthUser): string =>
  typeof email === 'string' && email !== ''
    ? email
    : typeof phone === 'string' && phone !== ''
      ? `+${phone}`
      : '';

export function hasFactor({ factors }: AuthUser): boolean {
  return factors?.some((factor) => factor.status === 'verified') ?? false;
}

/**
 * Whether an organization manages the user's sign-in, including the second factor. If an organization does, the user
 * can't add a factor on the Account pages.
 */
export function isManaged(user: AuthUser): boolean {
  const [only, ...others] = providersOf(user);
  return others.length === 0 && only?.startsWith('sso:') === true;
}

/** Returns the providers of the user's identities. */
export const providersOf = ({ identities }: AuthUser): readonly string[] =>
  ((identities ?? []) as readonly { readonly provider?: unknown }[]).map(({ provider }) => String(provider));

/**
 * Whether the user has a verified factor that must still be used before the user can return to an app. The access
 * token's signature isn't checked, because this server stored the token.
 */
export function mustStepUp({ session, user }: Visitor): boolean {
  return hasFactor(user) && !isAtAal2(session);
}

/**
 * Checks the second factor before an app gets access to the account: a factor that the user has must have been used,
 * and a user without a factor must set one up if the project requires it.
 * @throws {AccountError} insufficient_aal, factor_required
 */
export function requireSecondFactor(visitor: Visitor, isRequired: boolean): void {
  if (mustStepUp(visitor)) throw new AccountError('insufficient_aal');
  const { session, user } = visitor;
  if (isRequired && !isManaged(user) && !hasFactor(user) && !isAtAal2(session))
    throw new AccountError('factor_required');
}

/** Whether the session is at level aal2, for example because the user verified a passkey or a second factor. */
export function isAtAal2(session: OpenSession): boolean {
  return claimsOf(session).aal === 'aal2';
}

/** Whether the access token was issued while the user was a guest. */
export function wasGuest(session: OpenSession): boolean {
  return claimsOf(session).is_anonymous === true;
}

interface TokenClaims {
  readonly is_anonymous?: boolean;
  readonly aal?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly app_metadata?: { readonly providers?: readonly string[] };
}

function claimsOf({ tokens }: OpenSession): TokenClaims {
  const payload = Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return JSON.parse(payload) as TokenClaims;
}

/** The account details that the security page shows without scripts. */
export interface AccountFacts {
  readonly email: string;
  readonly phone: string;
  readonly providers: string;
}

const unknown = '–';

export function factsOf(session: OpenSession | undefined): AccountFacts {
  const { email, phone, app_metadata: app } = session === undefined ? {} : claimsOf(session);
  const others = (app?.providers ?? []).filter((id) => id !== 'email' && id !== 'phone');
  // The page shows `SSO` instead of connection IDs, because users don't recognize these IDs.
  const names = others.map((id) => (id.startsWith('sso:') ? 'SSO' : (knownProvider(id)?.name ?? id)));
  return {
    email: email || unknown,
    phone: phone ? `+${phone}` : unknown,
    providers: names.join(', ') || unknown,
  };
}

/** Returns the session data sent to a page. */
export function sessionResponse({ tokens }: OpenSession, user: AuthUser) {
  return { session: { access_token: tokens.access_token, expires_at: tokens.expires_at, user } };
}

/**
 * Looks up a browser's session before a page is sent. If the database is unavailable, the page is still sent.
 */
interface SessionLookups {
  /**
   * Whether a session, or the reason why the session ended, is stored for the cookie. The auth service may already have
   * ended a stored session.
   */
  keepsSession(cookie: string | undefined): Promise<boolean>;
  /**
   * Returns the reason why the session that the request's cookie identifies has ended. Returns undefined if the session
   * hasn't ended or never existed.
   */
  endingOf(request: FastifyRequest): Promise<Ending | undefined>;
}

export function createSessionLookups(deps: {
  readonly sessions: SessionStore;
  readonly visitors: Visitors;
  readonly log: Logger;
}): SessionLookups {
  const { sessions, visitors, log } = deps;

  async function orElse<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn({ service: 'account', error }, 'failed to look up a session');
      return otherwise;
    }
  }

  return {
    keepsSession: (cookie) =>
      orElse(
        async () => ((await sessions.find(cookie)) ?? (await sessions.ending(cookie))) !== undefined,
        false,
      ),
    endingOf: (request) =>
      orElse(async () => {
        const visitor = await visitors.present(request);
        return visitor === undefined ? sessions.ending(cookieOf(request, sessionCookie)) : undefined;
      }, undefined),
  };
}
