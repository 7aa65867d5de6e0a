/**
 * Keeps the sessions of several accounts in one browser. One account is current, and its cookie is the session cookie.
 * The others are parked, each under its own cookie, until the user switches to them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parkedCookies, sessionCookie } from './core/cookies.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';
import type { OpenSession, SessionStore } from './sessions.ts';

export interface ParkedSession {
  /** The index of the session's cookie. */
  readonly slot: number;
  readonly session: OpenSession;
}

export interface ParkedSessions {
  list(request: FastifyRequest): Promise<readonly ParkedSession[]>;
  /** Lists the sessions, and deletes the cookies of sessions that don't exist anymore. */
  listAndPrune(request: FastifyRequest, reply: FastifyReply): Promise<readonly ParkedSession[]>;
  /** Parks a session. Returns the session that had to make room, if every cookie is in use. */
  park(
    request: FastifyRequest,
    reply: FastifyReply,
    session: OpenSession,
    freed: readonly number[],
  ): Promise<OpenSession | undefined>;
  /** Makes a parked session the current one, and parks the current one in its place. */
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

/** Whether the browser has a cookie of a parked session, whose session may have ended. */
export const hasParked = (request: FastifyRequest): boolean =>
  parkedCookies.some((kind) => cookieOf(request, kind) !== undefined);

/**
 * Returns whose session it is. The access token's signature isn't checked, because our own server stored this token.
 */
export function ownerOf({ tokens }: OpenSession): { readonly id: string; readonly isGuest: boolean } {
  const payload = Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const { sub = '', is_anonymous: isGuest = false } = JSON.parse(payload) as {
    sub?: string;
    is_anonymous?: boolean;
  };
  return { id: sub, isGuest };
}
