/** Lists a browser's signed-in accounts: the current account and the parked accounts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type BrowserSignIn, setCookie } from './browser-sign-in.ts';
import { sessionCookie } from './core/cookies.ts';
import type { ParkedSessions } from './parked-sessions.ts';
import { cookieOf } from './request-cookies.ts';
import type { OpenSession, SessionStore } from './sessions.ts';
import type { Visitor } from './visitor.ts';

/** A signed-in account. The slot of the current account is `current`. */
export interface SignedIn extends Visitor {
  readonly slot: number | 'current';
}

export interface SignedInAccounts {
  /**
   * Returns the accounts that are signed in. If `reply` is passed, deletes the cookies of sessions that have ended.
   * Otherwise, doesn't change cookies, because the response may arrive after the user has signed in again in another
   * tab.
   */
  list(request: FastifyRequest, reply?: FastifyReply): Promise<readonly SignedIn[]>;
  /** Signs the user out of an account in this browser. The apps' sessions don't end. */
  end(request: FastifyRequest, reply: FastifyReply, account: SignedIn): Promise<void>;
}

export function createSignedInAccounts(deps: {
  readonly sessions: SessionStore;
  readonly parked: ParkedSessions;
  readonly browserSignIn: BrowserSignIn;
}): SignedInAccounts {
  const { sessions, parked, browserSignIn } = deps;

  async function visitorOf(request: FastifyRequest, session: OpenSession | undefined) {
    const fresh = session && (await sessions.fresh(session, request, false));
    const user = fresh && (await sessions.user(fresh, request));
    return fresh === undefined || user === undefined ? undefined : { session: fresh, user };
  }

  return {
    async list(request, reply) {
      const current = await sessions.find(cookieOf(request, sessionCookie));
      const found = [
        ...(current === undefined ? [] : [{ slot: 'current' as const, session: current }]),
        ...(await (reply === undefined ? parked.list(request) : parked.listAndPrune(request, reply))),
      ];
      const all = await Promise.all(
        found.map(async ({ slot, session }) => {
          const visitor = await visitorOf(request, session);
          if (visitor !== undefined) return [{ slot, ...visitor }];
          if (reply === undefined) return [];
          if (slot === 'current') setCookie(request, reply, undefined);
          else parked.remove(request, reply, slot);
          return [];
        }),
      );
      return all.flat();
    },
    async end(request, reply, { slot, session }) {
      if (slot === 'current') setCookie(request, reply, undefined);
      else parked.remove(request, reply, slot);
      await browserSignIn.leave(request, session, 'local');
    },
  };
}
