/**
 * Converts the HTML of an email to plain text. The conversion takes linear time, because operators can preview any
 * HTML, and because templates contain user data.
 */

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const blocks = new Set([
  'p',
  'div',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
  'tr',
  'ul',
  'ol',
  'blockquote',
  'section',
  'article',
]);
/** The elements whose contents email clients don't display. */
const hidden = new Set(['script', 'style', 'head', 'title']);

/**
 * Returns the text of the email.
 *
 * @example htmlToText('<p>Hi</p><p><a href="http://x">Go</a></p>') // 'Hi\n\nGo: http://x'
 */
export function htmlToText(html: string): string {
  return withoutTags(withoutHidden(html).replace(/\s+/g, ' '))
    .replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/g, decodeEntity)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

interface Tag {
  /**
   * The lowercase name of the tag. The name of a closing tag is preceded by a slash. The name is empty if the tag is
   * invalid.
   */
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the first tag at or after the position `at`. Any text between angle brackets counts as a tag. */
function nextTag(html: string, at: number): Tag | undefined {
  const start = html.indexOf('<', at);
  const end = start < 0 ? 0 : html.indexOf('>', start) + 1;
  if (end === 0) return undefined;
  const text = html.slice(start, end);
  return { name: (/^<(\/?[a-z][a-z0-9]*)\b/i.exec(text)?.[1] ?? '').toLowerCase(), text, start, end };
}

/**
 * Returns a function that finds the end of an element. If an element's closing tag is missing, the function doesn't
 * search for this tag again.
 */
function createEndFinder(html: string): (end: string, from: number) => number | undefined {
  const missing = new Set<string>();
  return (end, from) => {
    if (missing.has(end)) return undefined;
    const pattern = new RegExp(end, 'gi');
    pattern.lastIndex = from;
    if (pattern.test(html)) return pattern.lastIndex;
    missing.add(end);
    return undefined;
  };
}

/** Removes comments, and removes hidden elements together with their contents. */
function withoutHidden(html: string): string {
  const endOf = createEndFinder(html);
  let kept = '';
  let at = 0;
  for (let from = 0; ; ) {
    const start = html.indexOf('<', from);
    if (start < 0) return kept + html.slice(at);
    // The longest opening tag of a hidden element, `<script>`, has eight characters.
    const name = /^<([a-z]+)\b/i.exec(html.slice(start, start + 9))?.[1]?.toLowerCase() ?? '';
    const isComment = html.startsWith('<!--', start);
    const end = isComment
      ? endOf('-->', start + 4)
      : hidden.has(name)
        ? endOf(`</${name}\\s*>`, start)
        : undefined;
    if (end !== undefined) {
      kept += html.slice(at, start);
      at = end;
    }
    from = end ?? start + 1;
  }
}

/** Replaces tags with line breaks and appends the URLs of links. The text of a link is on one line. */
function withoutTags(html: string, isLinkText = false): string {
  const endOf = createEndFinder(html);
  let text = '';
  let at = 0;
  for (let tag = nextTag(html, at); tag !== undefined; tag = nextTag(html, at)) {
    text += html.slice(at, tag.start);
    at = tag.end;
    if (isLinkText) continue;
    const name = tag.name.replace('/', '');
    const [, double, single] =
      tag.name === 'a' ? (/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag.text) ?? []) : [];
    const href = double ?? single;
    const end = href === undefined ? undefined : endOf('</a\\s*>', at);
    if (href !== undefined && end !== undefined) {
      text += linkText(href, withoutTags(html.slice(at, end), true).trim());
      at = end;
    } else if (tag.name === 'br') text += '\n';
    else if (blocks.has(name)) text += '\n\n';
    else if (tag.name === 'li') text += '\n- ';
  }
  return text + html.slice(at);
}

const linkText = (href: string, words: string): string =>
  words === '' || words === href ? href : `${words}: ${href}`;

function decodeEntity(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return entities[name] ?? all;
  const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    ? String.fromCodePoint(point)
    : all;
}
