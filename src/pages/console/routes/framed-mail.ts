/** Serves the HTML of an untrusted email as a document for a frame on a Console page. */
import type { FastifyReply } from 'fastify';
import { framedHtml } from '../core/message-facts.ts';

/**
 * Headers that isolate the document. `sandbox` without `allow-scripts` and `allow-same-origin` blocks scripts and gives
 * the document an opaque origin. Links open only in new tabs, and external resources aren't loaded.
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
