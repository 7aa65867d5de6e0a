/**
 * Sends errors to the app if a browser has opened the URL. Without this redirect, the user would see a JSON document and
 * couldn't return to the app. Other clients receive the JSON document, as in upstream.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { errorParams } from '../common/redirect-errors.ts';
import { withParams } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from './exchange.ts';

/** The routes that browsers open, with the function that returns the URL for errors. */
const browserRoutes: Readonly<Record<string, (ctx: AuthContext, exchange: Exchange) => string>> = {
  'GET /verify': (_ctx, { caller }) => caller.redirectTo(),
  'GET /authorize': (_ctx, { caller }) => caller.redirectTo(),
  // The following routes receive a URL of the app only as part of a request that must be valid.
  'GET /callback': ({ settings }) => settings.siteUrl,
  'POST /callback': ({ settings }) => settings.siteUrl,
  'POST /sso/saml/acs': ({ settings }) => settings.siteUrl,
  'GET /oauth/authorize': ({ settings }) => settings.siteUrl,
  'GET /oauth/logout': ({ settings }) => settings.siteUrl,
  'POST /oauth/logout': ({ settings }) => settings.siteUrl,
};

/** Whether the request opens a document in a browser. Old browsers don't send `Sec-Fetch-Mode`. */
function isNavigation({ accept, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return mode === undefined ? /\btext\/html\b/.test(accept ?? '') : mode === 'navigate';
}

/** Returns the URL to which the browser is redirected after an error. Returns undefined for all other requests. */
export function browserErrorUrl(
  ctx: AuthContext,
  route: string,
  exchange: Exchange,
  error: unknown,
): string | undefined {
  const target = browserRoutes[route];
  if (target === undefined || !isNavigation(exchange.request.headers)) return undefined;
  const params = errorParams(ctx, exchange.path, error);
  return withParams(target(ctx, exchange), params, { ...params, sb: '' });
}
