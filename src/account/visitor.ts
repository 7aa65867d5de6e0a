/** Who is asking: the session behind a request's cookie, and the user that auth knows it for. */
import type { FastifyRequest } from 'fastify';
import type { AuthUser } from './auth-client.ts';
import { sessionCookie } from './core/cookies.ts';
import { AccountError } from './errors.ts';
import { cookieOf } from './request-cookies.ts';
import type { OpenSession, SessionStore } from './sessions.ts';

export interface Visitor {
  /** Its access token is good for a minute at least. */
  readonly session: OpenSession;
  readonly user: AuthUser;
}

export interface Visitors {
  /** Undefined: nobody is signed in. `force`: with a new access token. */
  present(request: FastifyRequest, force?: boolean): Promise<Visitor | undefined>;
  /** @throws {AccountError} not_signed_in */
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

export function hasFactor({ factors }: AuthUser): boolean {
  return factors?.some((factor) => factor.status === 'verified') ?? false;
}

/** A user with a verified factor goes back to an app only after using it. Our own token; its signature is not in doubt. */
export function mustStepUp({ session, user }: Visitor): boolean {
  if (!hasFactor(user)) return false;
  const payload = Buffer.from(session.tokens.access_token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return (JSON.parse(payload) as { aal?: string }).aal !== 'aal2';
}

/** What a page learns of its session. */
export function sessionAnswer({ tokens }: OpenSession, user: AuthUser) {
  return { session: { access_token: tokens.access_token, expires_at: tokens.expires_at, user } };
}
