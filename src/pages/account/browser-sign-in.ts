/**
 * Signs users in and out in a browser. Manages the browser's session row, session cookie and session in the auth
 * service.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, AuthUser, TokenPair } from './auth-client.ts';
import {
  addressCookie,
  forgetLeft,
  leftAccounts,
  memoryCookie,
  readMemory,
  remember,
  replaceUnlinked,
  type SignInWay,
  writeMemory,
} from './core/browser-memory.ts';
import { sessionCookie } from './core/cookies.ts';
import type { EndedSession } from './core/ended-sessions.ts';
import { keepDevice } from './device.ts';
import { ownerOf, type ParkedSessions } from './parked-sessions.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';
import { isEnding, type OpenSession, type SessionStore } from './sessions.ts';
import { accountName, providersOf } from './visitor.ts';

/**
 * The sessions to end. The value `local` means this session. The value `browser` means this session and the sessions of
 * apps in this browser. The value `elsewhere` means all sessions in other browsers.
 */
export type SignOutScope = 'local' | 'browser' | 'elsewhere';

export interface BrowserSignIn {
  /**
   * Signs the user in with this browser by creating a session row and a cookie. Records the account and its sign-in
   * method in the browser. Ends any earlier session of the same account or of a guest in this browser, and parks the
   * session of any other account.
   */
  enter(request: FastifyRequest, reply: FastifyReply, pair: TokenPair, way: SignInWay): Promise<OpenSession>;
  /**
   * Ends a session in the auth service and deletes the session's row, even if the auth service has already ended the
   * session. Returns the OpenID client sessions that ended with the session.
   */
  leave(request: FastifyRequest, session: OpenSession, scope: SignOutScope): Promise<readonly EndedSession[]>;
}

export function createBrowserSignIn(
  sessions: SessionStore,
  auth: AuthClient,
  parked: ParkedSessions,
): BrowserSignIn {
  async function leave(
    request: FastifyRequest,
    session: OpenSession,
    scope: SignOutScope,
  ): Promise<readonly EndedSession[]> {
    let ended: readonly EndedSession[] = [];
    try {
      const alive = await sessions.fresh(session, request, false);
      if (alive !== undefined) {
        const user = auth.user(request, alive);
        if (scope === 'local') await user.signOut(scope);
        else ended = await user.signOutBrowsers(scope === 'browser' ? 'this' : 'others');
      }
    } catch (error) {
      if (!isEnding(error)) throw error;
    }
    if (scope !== 'elsewhere') await sessions.close(session);
    return ended;
  }
  /** Ends the account's earlier sessions in this browser and parks another account's session. */
  async function putAside(
    request: FastifyRequest,
    reply: FastifyReply,
    before: OpenSession | undefined,
    userId: string,
  ): Promise<void> {
    const earlier = (await parked.list(request)).filter(({ session }) => ownerOf(session).id === userId);
    for (const { slot, session } of earlier) {
      parked.remove(request, reply, slot);
      await leave(request, session, 'local');
    }
    if (before === undefined) return;
    const owner = ownerOf(before);
    const isReplaced = owner.isGuest || owner.id === userId;
    const freed = earlier.map(({ slot }) => slot);
    const ended = isReplaced ? before : await parked.park(request, reply, before, freed);
    if (ended !== undefined) await leave(request, ended, 'local');
  }

  return {
    async enter(request, reply, pair, way) {
      const before = await sessions.find(cookieOf(request, sessionCookie));
      const opened = await sessions.open(pair);
      setCookie(request, reply, opened.cookie);
      keepDevice(request, reply);
      const memory = readMemory(cookieOf(request, memoryCookie));
      const account = { name: accountName(pair.user), way };
      keepCookie(request, reply, memoryCookie, writeMemory(remember(memory, account)));
      if (cookieOf(request, addressCookie) !== undefined)
        keepCookie(request, reply, addressCookie, undefined);
      await putAside(request, reply, before, pair.user.id);
      return opened;
    },
    leave,
  };
}

/** Records that the password for this address was correct and that a code must still confirm the new browser. */
export function keepConfirming(request: FastifyRequest, reply: FastifyReply, address: string): void {
  const memory = { ...readMemory(cookieOf(request, memoryCookie)), confirming: address };
  keepCookie(request, reply, memoryCookie, writeMemory(memory));
}

/**
 * Records which accounts were signed out, so that the next page can offer to remove these accounts from the browser.
 */
export function keepLeft(request: FastifyRequest, reply: FastifyReply, left: readonly string[]): void {
  const memory = { ...readMemory(cookieOf(request, memoryCookie)), left };
  if (leftAccounts(memory).length > 0) keepCookie(request, reply, memoryCookie, writeMemory(memory));
}

/** Stops suggesting an identity provider that the user has unlinked. */
export function forgetUnlinked(request: FastifyRequest, reply: FastifyReply, user: AuthUser): void {
  const memory = replaceUnlinked(readMemory(cookieOf(request, memoryCookie)), {
    name: accountName(user),
    linked: providersOf(user),
    hasPassword: user.has_password !== false,
  });
  keepCookie(request, reply, memoryCookie, writeMemory(memory));
}

/** Removes the most recently signed-out accounts from the browser. */
export function forgetAllLeft(request: FastifyRequest, reply: FastifyReply): void {
  const memory = forgetLeft(readMemory(cookieOf(request, memoryCookie)));
  keepCookie(request, reply, memoryCookie, writeMemory(memory));
}

/** Sets the session cookie. If `value` is undefined, deletes the cookie. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, value: string | undefined): void {
  keepCookie(request, reply, sessionCookie, value);
}
