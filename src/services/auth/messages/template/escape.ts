/**
 * Escapes values according to their context, as Go's html/template does. The possible contexts are text, attributes,
 * URLs in attributes, scripts and styles. The scanner tracks the context through the literal HTML between actions.
 */
export type EscapeContext =
  | 'text'
  | 'tag'
  | 'attribute'
  | 'bare-attribute'
  | 'url-start'
  | 'url-path'
  | 'url-query'
  | 'script'
  | 'style'
  | 'comment';

export interface Scanner {
  /** Updates the context after literal text. */
  feed(text: string): void;
  /** Escapes the value of an action for the current context. */
  insert(value: string): string;
}

const urlAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'background',
  'cite',
  'poster',
  'data',
]);

export function createScanner(): Scanner {
  let context: EscapeContext = 'text';
  let quote = '';
  let element = '';
  let attribute = '';

  function feed(text: string): void {
    let rest = text;
    // A step may change the context without consuming text, but then the next step consumes text, so the loop ends.
    while (rest !== '') rest = rest.slice(step(rest));
  }

  /** Processes the beginning of `rest`. Returns the number of consumed characters. */
  function step(rest: string): number {
    switch (context) {
      case 'text':
        return readText(rest);
      case 'comment':
        return readUntil(rest, '-->', 'text');
      case 'script':
      case 'style': {
        const end = new RegExp(`</${context}\\b`, 'i').exec(rest);
        if (!end) return rest.length;
        context = 'tag';
        element = '';
        return end.index + end[0].length;
      }
      case 'tag':
        return readTag(rest);
      default:
        return readAttribute(rest);
    }
  }

  function readText(rest: string): number {
    const open = /<(!--|\/?[a-zA-Z][^\s/>]*)/.exec(rest);
    if (!open) return rest.length;
    if (open[1] === '!--') context = 'comment';
    else {
      context = 'tag';
      element = (open[1] ?? '').toLowerCase();
      attribute = '';
    }
    return open.index + open[0].length;
  }

  function readTag(rest: string): number {
    if (rest.startsWith('>')) {
      context = element === 'script' || element === 'style' ? element : 'text';
      return 1;
    }
    const value = /^=\s*(["']?)/.exec(rest);
    if (value && attribute !== '') {
      quote = value[1] ?? '';
      context = urlAttributes.has(attribute) ? 'url-start' : quote === '' ? 'bare-attribute' : 'attribute';
      return value[0].length;
    }
    const name = /^[^\s=>/"']+/.exec(rest);
    if (name) {
      attribute = name[0].toLowerCase();
      return name[0].length;
    }
    return 1;
  }

  function readAttribute(rest: string): number {
    const end = quote === '' ? rest.search(/[\s>]/) : rest.indexOf(quote);
    const content = end < 0 ? rest : rest.slice(0, end);
    if (context === 'url-start' || context === 'url-path') {
      if (/[?#]/.test(content)) context = 'url-query';
      else if (content !== '') context = 'url-path';
    }
    if (end < 0) return rest.length;
    context = 'tag';
    attribute = '';
    // A closing quote is consumed together with its attribute. The `>` or space that follows an unquoted value belongs
    // to the tag, so this step doesn't consume it.
    return end + quote.length;
  }

  function readUntil(rest: string, mark: string, next: EscapeContext): number {
    const end = rest.indexOf(mark);
    if (end < 0) return rest.length;
    context = next;
    return end + mark.length;
  }

  function insert(value: string): string {
    switch (context) {
      case 'text':
        return escapeHtml(value);
      case 'attribute':
        return escapeHtml(value);
      case 'bare-attribute':
        return escapeHtml(value).replace(/[\s=`]/g, (c) => `&#${c.charCodeAt(0)};`);
      case 'url-start':
        context = value.includes('?') || value.includes('#') ? 'url-query' : 'url-path';
        return escapeHtml(isSafeUrl(value) ? normalizeUrl(value) : '#ZgotmplZ');
      case 'url-path':
        return escapeHtml(normalizeUrl(value));
      case 'url-query':
        return escapeQueryValue(value);
      case 'script':
        return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
      case 'tag':
      case 'style':
        return /^[\w\s.#%,-]*$/.test(value) ? value : 'ZgotmplZ';
      case 'comment':
        return '';
    }
  }

  return { feed, insert };
}

/**
 * Whether opening a URL shows a web page or composes an email. Any other URL, such as a `javascript:` URL, is replaced
 * with `#ZgotmplZ`.
 */
function isSafeUrl(url: string): boolean {
  const scheme = /^([^/?#:]*):/.exec(url);
  return !scheme || /^(?:https?|mailto)$/i.test(scheme[1] ?? '');
}

/** Percent-encodes characters that aren't allowed in URLs. Keeps existing escapes. */
function normalizeUrl(url: string): string {
  return url.replace(/%(?![0-9a-fA-F]{2})|[^A-Za-z0-9\-._~!#$&*+,/:;=?@[\]%]/gu, percentEncode);
}

function escapeQueryValue(value: string): string {
  return value.replace(/[^A-Za-z0-9\-._~]/gu, percentEncode);
}

function percentEncode(letter: string): string {
  return [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '+': '&#43;',
  '\0': '\ufffd',
};

export function escapeHtml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: HTML doesn't allow NUL
  return text.replace(/[&<>"'+\u0000]/g, (letter) => entities[letter] ?? letter);
}
