/** Sends the pages that several routes end with. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Send } from './page-names.ts';

/** Sent if a form isn't one of ours. */
export const sendRefused = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'plain/refused', { status: 403, isStill: true });

/** Sent if a link was used or has expired. */
export const sendExpired = (send: Send, request: FastifyRequest, reply: FastifyReply) =>
  send(request, reply, 'link-expired', { status: 400, isStill: true });

/**
 * Opens an app or an identity provider after a form. The response isn't a redirect, because browsers apply the page's
 * form-action policy to redirects that follow a form submission, and the other server may redirect again.
 */
export function openElsewhere(send: Send, request: FastifyRequest, reply: FastifyReply, target: string) {
  reply.header('refresh', `0; url=${target}`);
  return send(request, reply, 'continue', { target, isStill: true });
}
