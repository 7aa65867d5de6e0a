/**
 * Parses the XML of S3 requests: elements and text. Document types are rejected, so the only entities are XML's five
 * predefined ones, and a document can't expand while it is parsed. Attributes are ignored. Parsing is a single pass
 * with linear time and memory.
 */

export interface XmlElement {
  /** The name without its namespace prefix. */
  readonly name: string;
  /** The element's own text, without its children's. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** S3 requests have a depth of at most four. */
const maxDepth = 8;

const namePattern = /^(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)$/;
const tagPattern = /^([^\s/>]+)(?:\s+[^\s=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)$/;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Open {
  readonly tag: string;
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

/**
 * Returns the root element, or undefined if the text is malformed or contains anything other than elements and text.
 */
export function readXml(text: string): XmlElement | undefined {
  const stack: Open[] = [];
  let root: XmlElement | undefined;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const plain = text.slice(at, next < 0 ? text.length : next);
    const top = stack.at(-1);
    if (top) {
      const decoded = decodeText(plain);
      if (decoded === undefined) return undefined;
      top.text += decoded;
    } else if (plain.trim() !== '') return undefined;
    if (next < 0) break;

    const skipped = skipAside(text, next);
    if (skipped !== undefined) {
      if (skipped < 0) return undefined;
      at = skipped;
      continue;
    }
    const end = text.indexOf('>', next);
    if (end < 0) return undefined;
    const tag = text.slice(next + 1, end);
    at = end + 1;

    let closed: Open | undefined;
    if (tag.startsWith('/')) {
      closed = stack.pop();
      if (closed?.tag !== tag.slice(1).trimEnd()) return undefined;
    } else {
      const opened = openTag(tag);
      if (!opened || root || stack.length >= maxDepth) return undefined;
      if (opened.selfClosing) closed = opened.element;
      else stack.push(opened.element);
    }
    if (closed) {
      const { name, text: content, children } = closed;
      const element = { name, text: content, children };
      const parent = stack.at(-1);
      if (parent) parent.children.push(element);
      else root = element;
    }
  }
  return stack.length === 0 ? root : undefined;
}

/** Returns the text of the first child with this name, or undefined. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/**
 * Returns the position after a comment or processing instruction that begins here. Returns a negative number if it is
 * unterminated, or undefined if none begins here.
 */
function skipAside(text: string, at: number): number | undefined {
  for (const [open, close] of [
    ['<?', '?>'],
    ['<!--', '-->'],
  ] as const) {
    if (!text.startsWith(open, at)) continue;
    const end = text.indexOf(close, at + open.length);
    return end < 0 ? -1 : end + close.length;
  }
  return undefined;
}

function openTag(tag: string): { element: Open; selfClosing: boolean } | undefined {
  const match = tagPattern.exec(tag);
  const name = namePattern.exec(match?.[1] ?? '')?.[1];
  if (!match || name === undefined) return undefined;
  return { element: { tag: match[1] ?? '', name, text: '', children: [] }, selfClosing: match[2] === '/' };
}

function decodeText(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let broken = false;
  const decoded = text.replace(/&([^;]{0,10});?/g, (whole, name: string) => {
    const character = whole.endsWith(';') ? decodeEntity(name) : undefined;
    if (character === undefined) broken = true;
    return character ?? '';
  });
  return broken ? undefined : decoded;
}

function decodeEntity(name: string): string | undefined {
  const number = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(name);
  if (!number) return Object.hasOwn(entities, name) ? entities[name] : undefined;
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
