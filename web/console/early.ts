/**
 * Runs in the page's head before any module loads. The script immediately requests the page's code and first data.
 * Otherwise, the entry module would request the code and the data only after the session response.
 */

/**
 * A pattern that matches a page's path, and the files below `/console/assets/` that the page needs in addition to the
 * entry module.
 */
export type EarlyPage = readonly [pattern: string, files: readonly string[]];

/** The time for which an early response can be used. After this time, a new request is sent. */
export const earlyMs = 10_000;

declare global {
  interface Window {
    /** Responses that were requested early, by URL. */
    plinthRequests?: Record<string, Promise<Response> | undefined>;
  }
}

/** The build inlines this function into the HTML, so it must not use anything outside its body. */
export function startEarly(pages: readonly EarlyPage[], retentionMs: number): void {
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
  const paths = ['/session'];
  const table = /^\/tables\/([^/]+)\/([^/]+)$/.exec(path);
  if (path.startsWith('/tables')) paths.push('/tables');
  if (table !== null) {
    const name = `/tables/${table[1]}/${table[2]}`;
    paths.push(name);
    if (location.search === '') paths.push(`${name}/rows?filters=%5B%5D&sort=%5B%5D&limit=100&offset=0`);
  }
  const early: Record<string, Promise<Response> | undefined> = {};
  for (const each of paths) {
    const response = fetch(api + each, {
      headers: { accept: 'application/json', 'x-plinth-request': '1' },
      credentials: 'same-origin',
    });
    // If the request fails, the function that later uses the response handles the failure.
    response.catch(() => undefined);
    early[api + each] = response;
  }
  window.plinthRequests = early;
  setTimeout(() => {
    delete window.plinthRequests;
  }, retentionMs);
}

/** Returns the early response for a URL and removes it from the map, so it is used only once. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const early = window.plinthRequests;
  const response = early?.[address];
  if (early !== undefined) delete early[address];
  return response;
}

/** Discards early responses, because the requests must be sent again after the operator has signed in. */
export function forgetEarly(): void {
  delete window.plinthRequests;
}
