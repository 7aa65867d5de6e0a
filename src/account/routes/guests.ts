/**
 * A guest who signs in to an account that there is already. The guest's session is set aside under a cookie of its own,
 * since signing in would end it; then the account's owner decides what becomes of it. Whoever holds both sessions holds
 * both cookies: nothing is told apart by ids that a request names.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { guestCookie, sessionCookie } from '../core/cookies.ts';
import { type Door, setCookie } from '../door.ts';
import { AccountError } from '../errors.ts';
import type { GuestDeps } from '../index.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { OpenSession, SessionStore } from '../sessions.ts';
import { mustStepUp, type Visitor, type Visitors } from '../visitor.ts';

export interface GuestRules {
  readonly handOver: GuestDeps['handOverGuest'];
  /** The project has said how a guest's rows are given away. */
  readonly hasHook: boolean;
}

export interface GuestRouteDeps {
  readonly sessions: SessionStore;
  readonly visitors: Visitors;
  readonly door: Door;
  readonly guests: GuestRules;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
}

export function guestRoutes(app: FastifyInstance, deps: GuestRouteDeps): void {
  const { sessions, visitors, door, guests, onError } = deps;

  /** The guest that is set aside in this browser; the cookie of one that is gone is taken away. */
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

  /** Back to the guest; whoever is signed in meanwhile is signed out. */
  app.post('/guest/resume', async (request, reply) => {
    const guest = await needed(request, reply);
    const other = await sessions.find(cookieOf(request, sessionCookie));
    if (other !== undefined && other.cookie !== guest.session.cookie)
      await door.leave(request, other, 'local');
    setGuestCookie(request, reply, undefined);
    setCookie(request, reply, guest.session.cookie);
    return {};
  });

  /** Nothing is brought along. The guest account stays, without anybody who could sign in to it. */
  app.post('/guest/leave-behind', async (request, reply) => {
    const guest = await setAside(request, reply);
    if (guest !== undefined) await door.leave(request, guest.session, 'local');
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
