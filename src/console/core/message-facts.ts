/** Finds the code, the link and the beginning of the text in a message, for the inbox list. */
import type { MessageFacts } from '../inbox/contract.ts';

const snippetChars = 160;
const codePattern = /(?<![\d/=&?#-])\b\d{6,10}\b(?![-\d])/;
const linkPattern = /https?:\/\/[^\s"'<>()]+/;
const hrefPattern = /href\s*=\s*(?:"(https?:\/\/[^"]+)"|'(https?:\/\/[^']+)')/i;

/**
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

const textOfHtml = (html: string): string =>
  unescaped(html.replaceAll(/<(style|script|title)\b[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' '));

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

/** Returns the message as an HTML document for a sandboxed frame. Links in the document open a new tab. */
export function framedHtml(html: string): string {
  const base = '<base target="_blank">';
  return /<head[^>]*>/i.test(html)
    ? html.replace(/<head[^>]*>/i, (head) => head + base)
    : `<!doctype html>${base}${html}`;
}
