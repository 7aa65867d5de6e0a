/**
 * Keeps the sessions of several accounts in one browser. The session cookie identifies the current account's session.
 * The other sessions are parked in separate cookies until the user switches accounts.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parkedCookies, sessionCookie } from './core/cookies.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';
import type { OpenSession, SessionStore } from './sessions.ts';

export interface ParkedSession {
  /** The number in the name of the parked session's cookie. */
  readonly slot: number;
  readonly session: OpenSession;
}

export interface ParkedSessions {
  list(request: FastifyRequest): Promise<readonly ParkedSession[]>;
  /** Lists the parked sessions and deletes the cookies of sessions that no longer exist. */
  listAndPrune(request: FastifyRequest, reply: FastifyReply): Promise<readonly ParkedSession[]>;
  /**
   * Parks a session. If all cookies are in use, replaces another parked session and returns the session that was
   * replaced.
   */
  park(
    request: FastifyRequest,
    reply: FastifyReply,
    session: OpenSession,
    freed: readonly number[],
  ): Promise<OpenSession | undefined>;
  /** Makes a parked session the current session, and parks the previous current session in its place. */
  swap(request: FastifyRequest, reply: FastifyReply, parked: ParkedSession): Promise<void>;
  remove(request: FastifyRequest, reply: FastifyReply, slot: number): void;
}

export function createParkedSessions(sessions: Pick<SessionStore, 'find'>): ParkedSessions {
  const write = (request: FastifyRequest, reply: FastifyReply, slot: number, value: string | undefined) => {
    const kind = parkedCookies[slot];
    if (kind !== undefined) keepCookie(request, reply, kind, value);
  };
  async function list(request: FastifyRequest): Promise<readonly ParkedSession[]> {
    const found = await Promise.all(
      parkedCookies.map(async (kind, slot) => {
        const session = await sessions.find(cookieOf(request, kind));
        return session === undefined ? [] : [{ slot, session }];
      }),
    );
    return found.flat();
  }
  return {
    list,
    async listAndPrune(request, reply) {
      const found = await list(request);
      const isFound = (slot: number): boolean => found.some((parked) => parked.slot === slot);
      for (const [slot, kind] of parkedCookies.entries()) {
        if (cookieOf(request, kind) !== undefined && !isFound(slot)) write(request, reply, slot, undefined);
      }
      return found;
    },
    async park(request, reply, session, freed) {
      const known = await list(request);
      const isFree = (slot: number): boolean =>
        freed.includes(slot) || !known.some((parked) => parked.slot === slot);
      const free = parkedCookies.findIndex((_, slot) => isFree(slot));
      const slot = free === -1 ? 0 : free;
      write(request, reply, slot, session.cookie);
      return free === -1 ? known.find((parked) => parked.slot === slot)?.session : undefined;
    },
    async swap(request, reply, { slot, session }) {
      const current = await sessions.find(cookieOf(request, sessionCookie));
      keepCookie(request, reply, sessionCookie, session.cookie);
      write(request, reply, slot, current?.cookie);
    },
    remove: (request, reply, slot) => write(request, reply, slot, undefined),
  };
}

/** Whether the browser has a cookie for a parked session. The session itself may have ended already. */
export const hasParked = (request: FastifyRequest): boolean =>
  parkedCookies.some((kind) => cookieOf(request, kind) !== undefined);

/** Returns the session's user. The access token's signature isn't checked, because this server stored the token. */
export function ownerOf({ tokens }: OpenSession): {
  readonly id: string;
  /** The email address or the phone number. Empty for guests. */
  readonly name: string;
  readonly isGuest: boolean;
} {
  const payload = Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const claims = JSON.parse(payload) as {
    sub?: string;
    email?: string;
    phone?: string;
    is_anonymous?: boolean;
  };
  const { sub: id = '', email, phone, is_anonymous: isGuest = false } = claims;
  return { id, name: email || (phone ? `+${phone}` : ''), isGuest };
}
