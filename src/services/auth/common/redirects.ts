/**
 * Determines to which URLs links may redirect. Follows the rules of GoTrue 2.196, except that the parts of a URL are
 * checked separately. For an http(s) URL, the parts that browsers find in it are matched. The URL is rejected if Go's
 * net/url would find a different host.
 */

import { isIP } from 'node:net';
import { isDangerousScheme, readsAlike, splitUrl } from '../../../base/shared/http/redirect-uri.ts';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import { matchesGlob, parseRedirectGlob, type RedirectGlob, type Target } from './redirect-glob.ts';

export interface RedirectRules {
  readonly siteUrl: string;
  readonly allowed: readonly RedirectGlob[];
}

export function redirectRules(siteUrl: string, globs: readonly string[]): RedirectRules {
  return { siteUrl, allowed: globs.flatMap(parseRedirectGlob) };
}

/** The maximum URL length. Longer URLs aren't legitimate and wouldn't fit into a header. */
const maxUrlLength = 16_384;

/**
 * Returns the first requested URL that is allowed, or the site URL if no requested URL is allowed. The Account pages
 * are always allowed.
 */
export function chooseRedirect(
  rules: RedirectRules,
  expected: readonly (string | undefined)[],
  accountUrl: string,
): string {
  const isAllowed = (url: string) => isBelow(url, accountUrl) || isRedirectAllowed(rules, url);
  return expected.find((url) => url !== undefined && isAllowed(url)) ?? rules.siteUrl;
}

/**
 * Whether a URL is under a base URL.
 *
 * @example isBelow('http://127.0.0.1:54321/account/security?x', 'http://127.0.0.1:54321/account') // true
 */
export function isBelow(url: string, base: string): boolean {
  if (!URL.canParse(url) || url !== new URL(url).href) return false;
  const [target, own] = [new URL(url), new URL(base)];
  // All loopback names, such as localhost and 127.0.0.1, refer to the same host.
  if (isLoopbackName(target.hostname) && isLoopbackName(own.hostname)) target.hostname = own.hostname;
  return target.href.startsWith(`${base}/`);
}

export function isRedirectAllowed(rules: RedirectRules, url: string): boolean {
  const target = parseTarget(url);
  if (target === undefined || isDangerousScheme(target.scheme)) return false;
  const { scheme, hostname = '', port } = target;
  const isHttp = scheme === 'http' || scheme === 'https';
  const site = parseTarget(rules.siteUrl);
  const isSite = site?.hostname === target.hostname && site?.scheme === scheme;
  if (isSite && (site?.port === port || isLoopbackName(hostname))) return true;
  if (isIP(bareHost(hostname)) !== 0) {
    return isLoopbackAddress(hostname) && (isHttp || isListed(rules, target));
  }
  return isListed(rules, target);
}

function isListed({ allowed }: RedirectRules, target: Target): boolean {
  return allowed.some((glob) => matchesGlob(glob, target));
}

const webHost = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/;

/**
 * Parses a URL. Returns undefined if Go or browsers reject the URL, if Go and browsers parse the URL differently, or if
 * the URL contains a username.
 */
function parseTarget(url: string): Target | undefined {
  const split = url.length > maxUrlLength ? undefined : splitUrl(url);
  if (split === undefined || split.hasUser) return undefined;
  const { scheme, hostname, port, hasAuthority } = split;
  if (scheme !== 'http' && scheme !== 'https') {
    const [withoutFragment = ''] = url.split('#', 1);
    const path = withoutFragment.slice(
      hasAuthority ? withoutFragment.indexOf('/', scheme.length + 3) : scheme.length + 1,
    );
    const isBare = hasAuthority && withoutFragment.indexOf('/', scheme.length + 3) < 0;
    return {
      scheme,
      hostname: hasAuthority ? hostname.toLowerCase() : undefined,
      port,
      path: isBare ? '/' : path,
    };
  }
  if (!hasAuthority || !readsAlike(url, split)) return undefined;
  const read = new URL(url);
  const isNamed = webHost.test(read.hostname) && !/^[0-9]+$/.test(hostname);
  if (!isNamed && isIP(bareHost(read.hostname)) === 0) return undefined;
  return { scheme, hostname: bareHost(read.hostname), port: read.port, path: read.pathname + read.search };
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '0.0.0.0' || hostname === '::' || isLoopbackAddress(hostname)
  );
}

function isLoopbackAddress(hostname: string): boolean {
  return (isIP(hostname) === 4 && hostname.startsWith('127.')) || hostname === '::1';
}

/** Encodes query or fragment parameters as Go does, sorted by name and with `+` for spaces. */
export function encodeParams(params: Readonly<Record<string, string>>): string {
  return Object.keys(params)
    .sort()
    .map((key) => `${encodeQuery(key)}=${encodeQuery(params[key] ?? '')}`)
    .join('&');
}

export function encodeQuery(text: string): string {
  // A provider's or a hook's JSON can contain unpaired surrogates, for which encodeURIComponent would throw.
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** Adds query parameters to a URL, sorts all parameters as Go does, and replaces the fragment. */
export function withParams(
  url: string,
  query: Readonly<Record<string, string>>,
  fragment?: Readonly<Record<string, string>>,
): string {
  const [beforeFragment, oldFragment] = splitOnce(url, '#');
  const [base, oldQuery = ''] = splitOnce(beforeFragment, '?');
  const names = Object.keys(query);
  let search = oldQuery;
  if (names.length > 0) {
    const params = new URLSearchParams(oldQuery);
    for (const name of names) params.set(name, query[name] ?? '');
    params.sort();
    search = [...params].map(([key, value]) => `${encodeQuery(key)}=${encodeQuery(value)}`).join('&');
  }
  const hash = fragment ? encodeParams(fragment) : oldFragment;
  return base + (search === '' ? '' : `?${search}`) + (hash === undefined || hash === '' ? '' : `#${hash}`);
}
