/** Sends pages that several routes use as responses. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AuthRejection, retryAfterOf } from '../../../base/shared/errors.ts';
import { encodeLocation } from '../../../base/shared/http/header-text.ts';
import type { Send } from './page-names.ts';

/** Sends the page that responds to a form with an invalid CSRF token. */
export const sendRefused = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'plain/refused', { status: 403, isStill: true });

/** Sends the page for a link that has been used or has expired. */
export const sendExpired = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'link-expired', { status: 400, isStill: true });

/**
 * Whether auth couldn't answer, for example because of a time-out. The link may still work, so the page for an expired
 * link would be wrong. The error handler of the pages sends a page that suggests trying again.
 */
export const isTemporary = (error: AuthRejection): boolean => error.status >= 500;

/** Sends the page for a request that exceeded a rate limit. The link in the request may still work later. */
export function sendLimited(send: Send, request: FastifyRequest, reply: FastifyReply, error: AuthRejection) {
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return send(request, reply, 'plain/limited', { status: 429, isStill: true });
}

/**
 * Sends a page that opens an app or an identity provider after a form submission. A redirect isn't possible, because
 * browsers apply the page's `form-action` policy to redirects, including further redirects by the app or identity
 * provider.
 */
export function openElsewhere(send: Send, request: FastifyRequest, reply: FastifyReply, target: string) {
  reply.header('refresh', `0; url=${encodeLocation(target)}`);
  return send(request, reply, 'continue', { target, isStill: true });
}
