/**
 * Where a link may lead: the redirect rule (as GoTrue 2.196 has it). The rule reads URLs as Go's net/url does; since
 * a browser will follow them, an http(s) URL that WHATWG reads differently is refused.
 */
import { isIP } from 'node:net';

export interface RedirectRules {
  readonly siteUrl: string;
  readonly allowed: readonly RegExp[];
}

export function redirectRules(siteUrl: string, globs: readonly string[]): RedirectRules {
  return { siteUrl, allowed: globs.filter((glob) => glob !== '').map(globToRegExp) };
}

/** The first of the wanted addresses that is allowed, else the site URL. Our own pages always are. */
export function chooseRedirect(
  rules: RedirectRules,
  wanted: readonly (string | undefined)[],
  accountUrl: string,
): string {
  const isAllowed = (url: string) => isBelow(url, accountUrl) || isRedirectAllowed(rules, url);
  return wanted.find((url) => url !== undefined && isAllowed(url)) ?? rules.siteUrl;
}

/** @example isBelow('http://127.0.0.1:54321/account/security?x', 'http://127.0.0.1:54321/account') // true */
export function isBelow(url: string, base: string): boolean {
  if (!URL.canParse(url) || url !== new URL(url).href) return false;
  const [target, own] = [new URL(url), new URL(base)];
  // This machine by another of its names.
  if (isLoopbackName(target.hostname) && isLoopbackName(own.hostname)) target.hostname = own.hostname;
  return target.href.startsWith(`${base}/`);
}

export function isRedirectAllowed(rules: RedirectRules, url: string): boolean {
  const target = splitUrl(url);
  const site = splitUrl(rules.siteUrl);
  if (!target || !site) return false;
  const isHttp = target.scheme === 'http' || target.scheme === 'https';
  if (isHttp && !readsAlike(url, target)) return false;
  if (
    site.hostname === target.hostname &&
    site.scheme === target.scheme &&
    (site.port === target.port || isLoopbackName(target.hostname))
  ) {
    return true;
  }
  // Decimal addresses (http://2130706433) are never meant honestly.
  if (/^[0-9]+$/.test(target.hostname)) return false;
  if (isIP(target.hostname) !== 0) return isLoopbackAddress(target.hostname);
  if (isHttp && !/^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(target.hostname)) return false;
  const withoutFragment = url.split('#', 1)[0] ?? '';
  return rules.allowed.some((pattern) => pattern.test(withoutFragment));
}

export interface SplitUrl {
  readonly scheme: string;
  readonly hostname: string;
  readonly port: string;
}

/** Scheme, host and port as Go reads them; undefined for what Go refuses. */
export function splitUrl(url: string): SplitUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are refused
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return undefined;
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(url);
  const authority = match?.[2] ?? '';
  const host = /^(?:([A-Za-z0-9\-._:~!$&'()*+,;=%]*)@)?(\[[0-9a-fA-F:.%]+\]|[^:@[\]]*)(?::([0-9]*))?$/.exec(
    authority,
  );
  if (!match || !host) return undefined;
  return {
    scheme: (match[1] ?? '').toLowerCase(),
    hostname: (host[2] ?? '').replace(/^\[|\]$/g, ''),
    port: host[3] ?? '',
  };
}

const defaultPorts: Record<string, string> = { http: '80', https: '443' };

/** For http(s): a browser (WHATWG) finds the same host and port. */
export function readsAlike(url: string, split: SplitUrl): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  const port = split.port === defaultPorts[split.scheme] ? '' : split.port;
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
  return hostname === split.hostname.toLowerCase() && parsed.port === port;
}

function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '0.0.0.0' || hostname === '::' || isLoopbackAddress(hostname)
  );
}

function isLoopbackAddress(hostname: string): boolean {
  return (isIP(hostname) === 4 && hostname.startsWith('127.')) || hostname === '::1';
}

/**
 * Globs with `.` and `/` as separators: `*` and `?` stop there, `**` does not; `[a-z]`, `[!a-z]`, `{one,two}` and
 * backslash escapes as in gobwas/glob.
 */
export function globToRegExp(glob: string): RegExp {
  let pattern = '';
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const letter = glob[i] ?? '';
    if (letter === '\\' && i + 1 < glob.length) pattern += escapeRegExp(glob[++i] ?? '');
    else if (letter === '*' && glob[i + 1] === '*') {
      while (glob[i + 1] === '*') i++;
      pattern += '.*';
    } else if (letter === '*') pattern += '[^./]*';
    else if (letter === '?') pattern += '[^./]';
    else if (letter === '[') {
      const end = glob.indexOf(']', i + 2);
      if (end < 0) pattern += escapeRegExp(letter);
      else {
        const negated = glob[i + 1] === '!';
        const members = glob.slice(i + (negated ? 2 : 1), end).replace(/[\\\]^]/g, '\\$&');
        pattern += `[${negated ? '^' : ''}${members}]`;
        i = end;
      }
    } else if (letter === '{') {
      depth++;
      pattern += '(?:';
    } else if (letter === '}' && depth > 0) {
      depth--;
      pattern += ')';
    } else if (letter === ',' && depth > 0) pattern += '|';
    else pattern += escapeRegExp(letter);
  }
  const closed = pattern + ')'.repeat(depth);
  try {
    return new RegExp(`^${closed}$`, 's');
  } catch {
    // A range such as [z-a]: the pattern matches nothing but itself.
    return new RegExp(`^${escapeRegExp(glob)}$`, 's');
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** Query or fragment parameters as Go prints them: sorted by name, blanks as `+`. */
export function encodeParams(params: Readonly<Record<string, string>>): string {
  return Object.keys(params)
    .sort()
    .map((key) => `${encodeQuery(key)}=${encodeQuery(params[key] ?? '')}`)
    .join('&');
}

export function encodeQuery(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** `url` with parameters set in its query (all of it re-sorted, as Go does) and its fragment replaced. */
export function withParams(
  url: string,
  query: Readonly<Record<string, string>>,
  fragment?: Readonly<Record<string, string>>,
): string {
  const [beforeFragment = '', oldFragment] = splitOnce(url, '#');
  const [base = '', oldQuery = ''] = splitOnce(beforeFragment, '?');
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

function splitOnce(text: string, separator: string): [string, string?] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
