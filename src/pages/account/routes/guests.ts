/**
 * Lets a guest sign in to an existing account. Signing in would end the guest's session, so a separate cookie keeps
 * that session until the user decides what happens to the guest's data. Only a browser that has both cookies can access
 * both sessions, and requests never contain account IDs.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GuestDeps } from '../auth-deps.ts';
import { type BrowserSignIn, setCookie } from '../browser-sign-in.ts';
import { guestCookie, sessionCookie } from '../core/cookies.ts';
import { AccountError } from '../errors.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { OpenSession, SessionStore } from '../sessions.ts';
import { mustStepUp, type Visitor, type Visitors } from '../visitor.ts';

export interface GuestRules {
  readonly handOver: GuestDeps['transferGuest'];
  /** Whether the project has a hook that transfers a guest's rows to another account. */
  readonly hasHook: boolean;
}

export interface GuestRouteDeps {
  readonly sessions: SessionStore;
  readonly visitors: Visitors;
  readonly browserSignIn: BrowserSignIn;
  readonly guests: GuestRules;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
}

export function guestRoutes(app: FastifyInstance, deps: GuestRouteDeps): void {
  const { sessions, visitors, browserSignIn, guests, onError } = deps;

  /** Returns the guest whose session is kept in this browser. Deletes the cookie if the guest no longer exists. */
  async function setAside(request: FastifyRequest, reply: FastifyReply): Promise<Visitor | undefined> {
    const cookie = cookieOf(request, guestCookie);
    if (cookie === undefined) return undefined;
    const found = await sessions.find(cookie);
    const session = found === undefined ? undefined : await sessions.fresh(found, request, false);
    const user = session === undefined ? undefined : await sessions.user(session, request);
    if (session !== undefined && user?.is_anonymous === true) return { session, user };
    setGuestCookie(request, reply, undefined);
    return undefined;
  }

  async function needed(request: FastifyRequest, reply: FastifyReply): Promise<Visitor> {
    const guest = await setAside(request, reply);
    if (guest === undefined) throw new AccountError('guest_gone');
    return guest;
  }

  app.get('/guest', async (request, reply) => ({ guest: (await setAside(request, reply)) !== undefined }));

  app.post('/guest/set-aside', async (request, reply) => {
    if (!guests.hasHook) throw new AccountError('hand_over_off');
    const { session, user } = await visitors.needed(request);
    if (user.is_anonymous !== true) throw new AccountError('not_a_guest');
    setGuestCookie(request, reply, session);
    setCookie(request, reply, undefined);
    return {};
  });

  /** Signs out the current user and resumes the guest's session. */
  app.post('/guest/resume', async (request, reply) => {
    const guest = await needed(request, reply);
    const other = await sessions.find(cookieOf(request, sessionCookie));
    if (other !== undefined && other.cookie !== guest.session.cookie)
      await browserSignIn.leave(request, other, 'local');
    setGuestCookie(request, reply, undefined);
    setCookie(request, reply, guest.session.cookie);
    return {};
  });

  /**
   * Signs the guest out without transferring data. The guest account still exists, but signing in to it is no longer
   * possible.
   */
  app.post('/guest/leave-behind', async (request, reply) => {
    const guest = await setAside(request, reply);
    if (guest !== undefined) await browserSignIn.leave(request, guest.session, 'local');
    setGuestCookie(request, reply, undefined);
    return {};
  });

  app.post('/guest/hand-over', async (request, reply) => {
    if (!guests.hasHook) throw new AccountError('hand_over_off');
    const account = await visitors.needed(request);
    if (account.user.is_anonymous === true) throw new AccountError('not_a_guest');
    if (mustStepUp(account)) throw new AccountError('insufficient_aal');
    const guest = await needed(request, reply);
    await handOver(request, guest.session, account.session);
    await sessions.close(guest.session);
    setGuestCookie(request, reply, undefined);
    return {};
  });

  async function handOver(request: FastifyRequest, guest: OpenSession, account: OpenSession): Promise<void> {
    const tokens = { guestToken: guest.tokens.access_token, accountToken: account.tokens.access_token };
    const outcome = await guests.handOver({ ...tokens, ip: request.ip }).catch((cause: unknown) => {
      onError(request, cause);
      throw new AccountError('hand_over_failed', { cause });
    });
    if (outcome === 'stale') throw new AccountError('sign_in_stale');
    if (outcome !== 'done') throw new AccountError(outcome);
  }
}

function setGuestCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  session: OpenSession | undefined,
): void {
  keepCookie(request, reply, guestCookie, session?.cookie);
}
