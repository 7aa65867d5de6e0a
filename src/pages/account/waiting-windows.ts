/**
 * Manages browser windows that are waiting for the user to open an email link. The link contains a hash of the window's
 * cookie.
 *
 * In the browser that requested the email, the cookie matches the hash, so the user is signed in when the link is
 * opened. On any other device, opening the link doesn't sign the user in. The link then only confirms the waiting
 * window, and only after the user enters the number shown in that window. Otherwise, an attacker could request an email
 * for another person's account and wait until that person clicks the link (decision 60). The waiting window itself then
 * uses the link, so the device on which the link was opened never receives the session.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { waitCookie } from './core/cookies.ts';
import { cookieBytes, parseCookieValue } from './core/seal.ts';
import * as queries from './queries.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';

/** A window waits as long as its cookie exists. */
const waitMs = waitCookie.maxAgeSeconds * 1000;
/** A person who can't see the window has a 3 in 90 chance of guessing the number. */
const maxNumberAttempts = 3;
const maxUserAgentLength = 400;

/** The state of a waiting window, as shown on the device on which the window's link was opened. */
export interface OtherWindow {
  readonly userAgent: string;
  readonly isCanceled: boolean;
}

/** A window, identified by its cookie. */
export interface WaitingWindow {
  readonly id: string;
  readonly secret: Uint8Array;
}

export interface WaitingWindows {
  /** Returns the window that sent the request. The window's ID becomes part of the link in the email. */
  of(request: FastifyRequest): WaitingWindow;
  /** Marks the window as waiting and sets the window's cookie. Returns the number that the window displays. */
  begin(request: FastifyRequest, reply: FastifyReply, window: WaitingWindow): Promise<number>;
  /** Returns the number that the window displays, or undefined if the window isn't waiting. */
  numberOf(request: FastifyRequest): Promise<number | undefined>;
  /** Whether the request comes from the browser in which the window with this ID is open. */
  isSame(request: FastifyRequest, id: string): boolean;
  /** Returns the state of the window that is waiting for the link. Another device shows this state. */
  find(id: string): Promise<OtherWindow | undefined>;
  /** Compares the entered number with the number that the window displays. */
  checkNumber(id: string, number: string): Promise<'right' | 'wrong' | 'canceled'>;
  confirm(id: string, link: { readonly link: string; readonly type: string }): Promise<void>;
  /** Returns the link that was confirmed for the window that sent the request. Each link is returned only once. */
  take(
    request: FastifyRequest,
  ): Promise<{ state: 'none' | 'waiting' | 'canceled' } | { state: 'confirmed'; link: string; type: string }>;
  /** Deletes the window's row and cookie when the window stops waiting. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  removeExpired(): Promise<void>;
}

export function createWaitingWindows({
  db,
  clock,
}: {
  readonly db: Queryable;
  readonly clock: Clock;
}): WaitingWindows {
  const now = (): Date => new Date(clock.now());
  const ownId = (request: FastifyRequest): string | undefined => {
    const secret = parseCookieValue(cookieOf(request, waitCookie));
    return secret === undefined ? undefined : idOf(secret);
  };
  return {
    of(request) {
      const secret = parseCookieValue(cookieOf(request, waitCookie)) ?? randomBytes(cookieBytes);
      return { id: idOf(secret), secret };
    },
    begin(request, reply, { id, secret }) {
      keepCookie(request, reply, waitCookie, Buffer.from(secret).toString('base64url'));
      return queries.storeWaitingWindow(db, {
        id: bytesOf(id),
        number: randomInt(10, 100),
        userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
        expiresAt: new Date(clock.now() + waitMs),
        now: now(),
      });
    },
    async numberOf(request) {
      const id = ownId(request);
      const row = id === undefined ? undefined : await queries.findWaitingWindow(db, bytesOf(id), now());
      return row?.state === 'waiting' ? row.number : undefined;
    },
    isSame: (request, id) => ownId(request) === id,
    async find(id) {
      const row = await queries.findWaitingWindow(db, bytesOf(id), now());
      return row && { userAgent: row.user_agent, isCanceled: row.state === 'canceled' };
    },
    async checkNumber(id, number) {
      // Counts the attempt before comparing the numbers, so that concurrent requests can't exceed the limit.
      const row = await queries.countAttempt(db, bytesOf(id), maxNumberAttempts, now());
      if (row === undefined) return 'canceled';
      if (String(row.number) === number) return 'right';
      if (row.attempts < maxNumberAttempts) return 'wrong';
      await queries.cancelWaitingWindow(db, bytesOf(id));
      return 'canceled';
    },
    confirm: (id, link) => queries.confirmWaitingWindow(db, bytesOf(id), link),
    async take(request) {
      const id = ownId(request);
      if (id === undefined) return { state: 'none' };
      const taken = await queries.takeConfirmedWindow(db, bytesOf(id), now());
      if (taken !== undefined) return { state: 'confirmed', link: taken.link, type: taken.link_type };
      const row = await queries.findWaitingWindow(db, bytesOf(id), now());
      return { state: row === undefined || row.state === 'confirmed' ? 'none' : row.state };
    },
    async end(request, reply) {
      const id = ownId(request);
      if (id === undefined) return;
      keepCookie(request, reply, waitCookie, undefined);
      await queries.deleteWaitingWindow(db, bytesOf(id));
    },
    removeExpired: () => queries.deleteExpiredWindows(db, now()),
  };
}

const idOf = (secret: Uint8Array): string =>
  createHash('sha256').update('plinth account waiting window').update(secret).digest('base64url');

const bytesOf = (id: string): Buffer => Buffer.from(id, 'base64url');
