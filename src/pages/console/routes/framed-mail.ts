/** Serves the HTML of an untrusted email as a document for a frame on a Console page. */
import type { FastifyReply } from 'fastify';
import type { MessageFacts } from '../inbox/contract.ts';

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

const snippetChars = 160;
const codePattern = /(?<![\d/=&?#-])\b\d{6,10}\b(?![-\d])/;
const linkPattern = /https?:\/\/[^\s"'<>()]+/;
const hrefPattern = /href\s*=\s*(?:"(https?:\/\/[^"]+)"|'(https?:\/\/[^']+)')/i;

/**
 * Returns the verification code and the link in a message, and the beginning of the message's text.
 *
 * @example
 * messageFacts({ text: 'Your code is 123456', html: '' }).code; // '123456'
 */
export function messageFacts({ text, html }: { text: string; html: string }): MessageFacts {
  const plain = text.trim() === '' ? textOfHtml(html) : text;
  const withoutLinks = plain.replaceAll(new RegExp(linkPattern, 'g'), ' ');
  const href = hrefPattern.exec(html);
  const link = href?.[1] ?? href?.[2];
  return {
    code: codePattern.exec(withoutLinks)?.[0] ?? null,
    link: link === undefined ? (linkPattern.exec(plain)?.[0] ?? null) : unescaped(link),
    snippet: withoutLinks.replaceAll(/\s+/g, ' ').trim().slice(0, snippetChars),
  };
}

/**
 * Matches a tag, or a whole element that has no visible text. An element without an end tag extends to the end of the
 * text.
 */
const invisible = /<(style|script|title)\b[\s\S]*?(?:<\/\1>|$)|<[^<>]*>/gi;

/**
 * The patterns match any text in linear time. Linear time is required because the text comes from anyone who can send a
 * message.
 */
const textOfHtml = (html: string): string => unescaped(html.replaceAll(invisible, ' '));

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => entities[name] ?? '');

/** Returns the message as an HTML document for a sandboxed frame. Links in the document open in new tabs. */
export function framedHtml(html: string): string {
  const base = '<base target="_blank">';
  const head = /<head\b[^<>]*>/i;
  return head.test(html) ? html.replace(head, (tag) => tag + base) : `<!doctype html>${base}${html}`;
}
