/**
 * Recognizes browsers in which the user has signed in before. A cookie identifies the browser, and the auth service
 * stores a hash of the cookie for each user (`auth/security-events/record.ts`). The cookie grants no access.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceCookie } from './core/cookies.ts';
import { cookieOf, keepCookie } from './request-cookies.ts';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** The pages that sign a user in when they receive a GET request. All other sign-ins are POST requests. */
const openedPages = new Set(['/account/back', '/account/confirm']);

/** Returns a hash of the device cookie, or undefined if the browser doesn't have this cookie. */
export function deviceIdOf(caller: Parameters<typeof cookieOf>[0]): string | undefined {
  const value = cookieOf(caller, deviceCookie);
  if (value === undefined || !shape.test(value)) return undefined;
  return createHash('sha256').update(value).digest('base64url');
}

/**
 * Adds a device cookie to a request that may sign a user in, because the auth service records the device together with
 * the sign-in. The browser receives the cookie only if the sign-in succeeds ({@link keepDevice}).
 */
export function prepareDevice(request: FastifyRequest): void {
  const isSignIn = request.method === 'POST' || openedPages.has(request.url.split('?', 1)[0] ?? '');
  if (!isSignIn || deviceIdOf(request) !== undefined) return;
  const prefix = request.protocol === 'https' ? '__Host-' : '';
  const pair = `${prefix}${deviceCookie.name}=${randomBytes(32).toString('base64url')}`;
  // Puts the new cookie first, because only the first device cookie is read and the request may already contain an
  // invalid device cookie.
  request.headers.cookie = [pair, request.headers.cookie].filter(Boolean).join('; ');
}

/**
 * Sets the cookie even if the browser already has the same cookie, so that it doesn't expire while the user uses the
 * browser.
 */
export function keepDevice(request: FastifyRequest, reply: FastifyReply): void {
  const value = cookieOf(request, deviceCookie);
  if (value !== undefined) keepCookie(request, reply, deviceCookie, value);
}
