/** Mail that anybody may have written, as a document for a frame of a Console page. */
import type { FastifyReply } from 'fastify';
import { framedHtml } from '../core/message-facts.ts';

/**
 * For mail as a document of its own. `sandbox` without `allow-scripts` and `allow-same-origin`: it runs nothing and is
 * nobody; the only thing that works is opening a link in a tab. Nothing is loaded from anywhere.
 */
const frameHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; '),
  'referrer-policy': 'no-referrer',
} as const;

export const sendFramed = (reply: FastifyReply, html: string): FastifyReply =>
  reply.headers(frameHeaders).send(framedHtml(html));
