/** Signing a browser in and out: the session's row, its cookie, and the session at auth. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from './auth-client.ts';
import { sessionCookie } from './core/cookies.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';
import { isEnding, type OpenSession, type SessionStore } from './sessions.ts';

export interface Door {
  /** Signed in: a new row and a new cookie; the session that this browser had before is ended. */
  enter(request: FastifyRequest, reply: FastifyReply, pair: TokenPair): Promise<OpenSession>;
  /** Ends a session at auth and here. That auth has ended it already is no reason to keep our row. */
  leave(request: FastifyRequest, session: OpenSession, scope: string): Promise<void>;
}

export function createDoor(sessions: SessionStore, auth: AuthClient): Door {
  async function leave(request: FastifyRequest, session: OpenSession, scope: string): Promise<void> {
    try {
      const alive = await sessions.fresh(session, request, false);
      if (alive !== undefined) {
        const accessToken = alive.tokens.access_token;
        await auth.call(request, { method: 'POST', path: `/logout?scope=${scope}`, accessToken });
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

/** Undefined deletes it. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, value: string | undefined): void {
  keepCookie(request, reply, sessionCookie, value);
}
