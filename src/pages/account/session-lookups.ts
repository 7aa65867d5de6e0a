/** Looks up a browser's session before a page is sent. If the database is unavailable, the page is still sent. */
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../base/kernel/log.ts';
import { sessionCookie } from './core/cookies.ts';
import { cookieOf } from './request-cookies.ts';
import type { SessionStore } from './sessions.ts';
import type { Ending } from './types.ts';
import type { Visitors } from './visitor.ts';

export interface SessionLookups {
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
