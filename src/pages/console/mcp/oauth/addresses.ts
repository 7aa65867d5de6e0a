/** Determines the URLs that the OAuth server and the MCP endpoint have for a request. */
import type { IncomingHttpHeaders } from 'node:http';
import { isToPublicUrl, keepLoopbackName } from '../../../../base/kernel/request-origin.ts';
import type { ConsoleSite } from '../../deps.ts';

export type Site = Pick<ConsoleSite, 'url' | 'ownAddress'>;

export const resourcePath = '/mcp';

/** Returns the origin to which the request was sent. The gateway has checked that its host name belongs to the Console. */
export function originOf(headers: IncomingHttpHeaders, { ownAddress }: Site): string {
  const { publicUrl, scheme = 'http:' } = ownAddress;
  if (publicUrl !== undefined && isToPublicUrl(headers, ownAddress)) return publicUrl.origin;
  return new URL(`${scheme}//${headers.host}`).origin;
}

/**
 * Returns the OAuth server's issuer identifier (RFC 8414 section 2). For a client that uses another loopback name than
 * the Console's links, it's the name in the links, because the operator's session cookie is for this name.
 */
export const issuerOf = (headers: IncomingHttpHeaders, site: Site): string =>
  canonical(originOf(headers, site), site);

const canonical = (origin: string, { url }: Site): string =>
  new URL(keepLoopbackName(origin, new URL(url()).host)).origin;

/** The MCP endpoint's resource identifier (RFC 8707 section 2). The client compares it with the URL that it uses. */
export const resourceOf = (headers: IncomingHttpHeaders, site: Site): string =>
  originOf(headers, site) + resourcePath;

/**
 * Whether a resource indicator refers to this server's MCP endpoint. The query is ignored, because clients may send the
 * endpoint's URL with its options.
 */
export function isOwnResource(resource: string, headers: IncomingHttpHeaders, site: Site): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false;
  const { origin, pathname, username, password } = new URL(resource);
  if (username !== '' || password !== '' || !/^https?:/.test(origin)) return false;
  return (
    canonical(origin, site) === issuerOf(headers, site) &&
    ['/', resourcePath, `${resourcePath}/`].includes(pathname)
  );
}

/** Returns the URL of the MCP endpoint's metadata (RFC 9728 section 3.1). */
export const resourceMetadataUrl = (headers: IncomingHttpHeaders, site: Site): string =>
  `${originOf(headers, site)}/.well-known/oauth-protected-resource${resourcePath}`;
