/** Sends the pages that several routes end with. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthRejection } from '../../shared/auth-rejection.ts';
import { retryAfterOf } from '../../shared/retry-after.ts';
import type { Send } from './page-names.ts';

/** Sent if a form isn't one of ours. */
export const sendRefused = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'plain/refused', { status: 403, isStill: true });

/** Sent if a link was used or has expired. */
export const sendExpired = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'link-expired', { status: 400, isStill: true });

/** Sent if the network has made too many requests, so the link may still work later. */
export function sendLimited(send: Send, request: FastifyRequest, reply: FastifyReply, error: AuthRejection) {
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return send(request, reply, 'plain/limited', { status: 429, isStill: true });
}

/**
 * Opens an app or an identity provider after a form. The response isn't a redirect, because browsers apply the page's
 * form-action policy to redirects that follow a form submission, and the other server may redirect again.
 */
export function openElsewhere(send: Send, request: FastifyRequest, reply: FastifyReply, target: string) {
  reply.header('refresh', `0; url=${target}`);
  return send(request, reply, 'continue', { target, isStill: true });
}
