/**
 * Contextual escaping as in Go's html/template: text, attributes, URLs in attributes, scripts, styles. The scanner
 * tracks the literal HTML between actions.
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
  /** Consumes literal text. */
  feed(text: string): void;
  /** Escapes an action's value for the current context. */
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
  let place: EscapeContext = 'text';
  let quote = '';
  let element = '';
  let attribute = '';

  function feed(text: string): void {
    let rest = text;
    // A step may consume nothing and only change the context, but never twice in a row.
    while (rest !== '') rest = rest.slice(step(rest));
  }

  /** Consumes the beginning of `rest` and returns the number of characters. */
  function step(rest: string): number {
    switch (place) {
      case 'text':
        return readText(rest);
      case 'comment':
        return readUntil(rest, '-->', 'text');
      case 'script':
      case 'style': {
        const end = new RegExp(`</${place}\\b`, 'i').exec(rest);
        if (!end) return rest.length;
        place = 'tag';
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
    if (open[1] === '!--') place = 'comment';
    else {
      place = 'tag';
      element = (open[1] ?? '').toLowerCase();
      attribute = '';
    }
    return open.index + open[0].length;
  }

  function readTag(rest: string): number {
    if (rest.startsWith('>')) {
      place = element === 'script' || element === 'style' ? element : 'text';
      return 1;
    }
    const value = /^=\s*(["']?)/.exec(rest);
    if (value && attribute !== '') {
      quote = value[1] ?? '';
      place = urlAttributes.has(attribute) ? 'url-start' : quote === '' ? 'bare-attribute' : 'attribute';
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
    if (place === 'url-start' || place === 'url-path') {
      if (/[?#]/.test(content)) place = 'url-query';
      else if (content !== '') place = 'url-path';
    }
    if (end < 0) return rest.length;
    place = 'tag';
    attribute = '';
    // The closing quote ends with its attribute. Without quotes, the `>` or space still belongs to the tag.
    return end + quote.length;
  }

  function readUntil(rest: string, mark: string, next: EscapeContext): number {
    const end = rest.indexOf(mark);
    if (end < 0) return rest.length;
    place = next;
    return end + mark.length;
  }

  function insert(value: string): string {
    switch (place) {
      case 'text':
        return escapeHtml(value);
      case 'attribute':
        return escapeHtml(value);
      case 'bare-attribute':
        return escapeHtml(value).replace(/[\s=`]/g, (c) => `&#${c.charCodeAt(0)};`);
      case 'url-start':
        place = value.includes('?') || value.includes('#') ? 'url-query' : 'url-path';
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

/** Allows only URLs that open a page or an email. `javascript:` and similar become `#ZgotmplZ`. */
function isSafeUrl(url: string): boolean {
  const scheme = /^([^/?#:]*):/.exec(url);
  return !scheme || /^(?:https?|mailto)$/i.test(scheme[1] ?? '');
}

/** Percent-encodes characters that a URL can't contain. Keeps existing escapes. */
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
