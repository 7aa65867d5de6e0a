/**
 * What runs in the page's head, before any module is there: the code of the page that was asked for and the data it begins
 * with are sent for at once, not after the entry has been read and the session been answered.
 */

/** A page's pattern, and its files below `/console/assets/` which the entry does not bring. */
export type EarlyPage = readonly [pattern: string, files: readonly string[]];

/** How long an answer waits to be taken. What is asked for later is asked anew. */
export const earlyMs = 10_000;

declare global {
  interface Window {
    /** By address. */
    plinthAsked?: Record<string, Promise<Response> | undefined>;
  }
}

/** Stands in the HTML as it is written here: it uses nothing from outside. */
export function startEarly(pages: readonly EarlyPage[], keptMs: number): void {
  const api = '/console/api';
  const path = location.pathname.replace(/^\/console/, '');
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
  for (const file of pages.find(([pattern]) => new RegExp(pattern).test(path))?.[1] ?? []) {
    const link = document.createElement('link');
    const isStyle = file.endsWith('.css');
    link.rel = isStyle ? 'preload' : 'modulepreload';
    if (isStyle) link.as = 'style';
    link.crossOrigin = '';
    link.nonce = nonce;
    link.href = `/console/assets/${file}`;
    document.head.append(link);
  }
  if (path.startsWith('/sign-in')) return;
  const asked = ['/session'];
  const table = /^\/tables\/([^/]+)\/([^/]+)$/.exec(path);
  if (path.startsWith('/tables')) asked.push('/tables');
  if (table !== null) {
    const name = `/tables/${table[1]}/${table[2]}`;
    asked.push(name);
    if (location.search === '') asked.push(`${name}/rows?filters=%5B%5D&sort=%5B%5D&limit=100&offset=0`);
  }
  const early: Record<string, Promise<Response> | undefined> = {};
  for (const each of asked) {
    const answer = fetch(api + each, {
      headers: { accept: 'application/json', 'x-plinth-request': '1' },
      credentials: 'same-origin',
    });
    // Whoever takes it hears of a failure.
    answer.catch(() => undefined);
    early[api + each] = answer;
  }
  window.plinthAsked = early;
  setTimeout(() => {
    delete window.plinthAsked;
  }, keptMs);
}

/** The answer to that address if it was asked for early; once. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const early = window.plinthAsked;
  const answer = early?.[address];
  if (early !== undefined) delete early[address];
  return answer;
}

/** Nobody may see them yet: after the sign-in all is asked anew. */
export function forgetEarly(): void {
  delete window.plinthAsked;
}
