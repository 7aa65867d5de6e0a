/**
 * Finds a file in a project's page of an index. Indexes answer with JSON (PEP 691) or HTML (PEP 503), whichever they
 * support.
 */

/** The header `accept` for a project's page, in the order of preference. */
export const acceptedPages =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/** Returns the URL of a project's page (PEP 503). @example projectPage('https://pypi.org/simple', 'a_b') */
export const projectPage = (index: string, project: string): string =>
  `${index}/${project.toLowerCase().replaceAll(/[-_.]+/g, '-')}/`;

interface Page {
  /** The URL of the page after all redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Returns the URL of a file. Returns undefined if the page doesn't list the file.
 *
 * @throws {SyntaxError} if the page claims to be JSON but isn't
 */
export function findFile({ url, contentType, text }: Page, file: string): string | undefined {
  const found = /\bjson\b/.test(contentType) ? inJson(text, file) : inHtml(text, file);
  if (found === undefined) return undefined;
  const base = /\bjson\b/.test(contentType)
    ? undefined
    : /<base\s[^>]*href\s*=\s*["']([^"']+)/i.exec(text)?.[1];
  const resolved = new URL(found, base === undefined ? url : new URL(base, url));
  resolved.hash = '';
  return resolved.protocol === 'https:' || resolved.protocol === 'http:' ? resolved.href : undefined;
}

function inJson(text: string, file: string): string | undefined {
  const page = JSON.parse(text) as { files?: { filename?: unknown; url?: unknown }[] };
  const url = page.files?.find(({ filename }) => filename === file)?.url;
  return typeof url === 'string' ? url : undefined;
}

/** The text of a link is the file's name. Some indexes add white space, and some only link to the file. */
function inHtml(text: string, file: string): string | undefined {
  for (const [, attributes = '', label = ''] of text.matchAll(/<a\s([^>]*)>([^<]*)<\/a>/gi)) {
    const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
    const link = (href?.[1] ?? href?.[2] ?? '').replaceAll('&amp;', '&');
    const path = link.split(/[?#]/, 1)[0] ?? '';
    if (link !== '' && (label.trim() === file || path.endsWith(`/${file}`))) return link;
  }
  return undefined;
}
