/** Signs a browser in and out by managing its session row, its cookie and its session in auth. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from './auth-client.ts';
import { sessionCookie } from './core/cookies.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';
import { isEnding, type OpenSession, type SessionStore } from './sessions.ts';

export interface BrowserSignIn {
  /** Signs the browser in: creates a row and a cookie, then ends the browser's previous session. */
  enter(request: FastifyRequest, reply: FastifyReply, pair: TokenPair): Promise<OpenSession>;
  /** Ends a session in auth and deletes its row. The row is deleted even if auth has already ended the session. */
  leave(request: FastifyRequest, session: OpenSession, scope: string): Promise<void>;
}

export function createBrowserSignIn(sessions: SessionStore, auth: AuthClient): BrowserSignIn {
  async function leave(request: FastifyRequest, session: OpenSession, scope: string): Promise<void> {
    try {
      const alive = await sessions.fresh(session, request, false);
      if (alive !== undefined) {
        await auth.user(request, alive).signOut(scope);
      }
    } catch (error) {
      if (!isEnding(error)) throw error;
    }
    if (scope !== 'others') await sessions.close(session);
  }
  return {
    async enter(request, reply, pair) {
      const before = await sessions.find(cookieOf(request, sessionCookie));
      const opened = await sessions.open(pair);
      setCookie(request, reply, opened.cookie);
      if (before !== undefined) await leave(request, before, 'local');
      return opened;
    },
    leave,
  };
}

/** Sets the session cookie. If `value` is undefined, deletes the cookie. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, value: string | undefined): void {
  keepCookie(request, reply, sessionCookie, value);
}
