/**
 * Runs in the page's head before any module loads. It requests the code and the first data of the page immediately, instead of
 * after the entry module and the session response.
 */

/** A page's pattern, and its files below `/console/assets/` that the entry doesn't load. */
export type EarlyPage = readonly [pattern: string, files: readonly string[]];

/** How long an early response can be used. Later calls send a new request. */
export const earlyMs = 10_000;

declare global {
  interface Window {
    /** Early responses by address. */
    plinthAsked?: Record<string, Promise<Response> | undefined>;
  }
}

/** This function is inlined into the HTML, so it can't use anything from outside. */
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
    // The caller that takes the response handles the failure.
    answer.catch(() => undefined);
    early[api + each] = answer;
  }
  window.plinthAsked = early;
  setTimeout(() => {
    delete window.plinthAsked;
  }, keptMs);
}

/** Returns and removes the early response for an address. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const early = window.plinthAsked;
  const answer = early?.[address];
  if (early !== undefined) delete early[address];
  return answer;
}

/** Discards early responses, which must be requested again after the sign-in. */
export function forgetEarly(): void {
  delete window.plinthAsked;
}
