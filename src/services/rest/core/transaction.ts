/** Builds the transaction-local settings of a request, in PostgREST's order. */

import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { decodeHeader } from '../../../base/shared/http/header-text.ts';
import type { Setting } from '../../../platform/database/types.ts';
import type { RestSettings } from '../settings.ts';
import type { Identity } from './authenticate.ts';
import type { RestRequest } from './request.ts';

export interface TransactionFacts {
  readonly request: RestRequest;
  readonly schema: string;
  readonly identity: Identity;
  /** The settings that ALTER ROLE … SET defines for the request's role. */
  readonly roleSettings: readonly Setting[];
  readonly timezone: string | undefined;
  /** The settings of the called function that apply to the whole transaction. */
  readonly hoisted: readonly Setting[];
}

export function transactionSettings(facts: TransactionFacts, settings: RestSettings): Setting[] {
  const { request, identity } = facts;
  const list: Setting[] = [
    ['search_path', searchPath(facts.schema, settings.extraSearchPath)],
    // The role's settings are applied before the session switches to the role, so only the login role needs the
    // privilege to set them.
    ...facts.roleSettings,
    ['role', identity.role],
    ['request.jwt.claims', identity.claimsJson],
  ];
  if (settings.legacySubClaim) {
    const { sub } = identity.claims;
    list.push(['request.jwt.claim.sub', typeof sub === 'string' ? sub : '']);
  }
  list.push(
    ['request.method', request.method],
    ['request.path', request.path],
    ['request.headers', headersJson(request)],
    ['request.cookies', cookiesJson(request.headers.cookie)],
  );
  if (facts.timezone !== undefined) list.push(['timezone', facts.timezone]);
  list.push(...facts.hoisted, ...settings.appSettings);
  return list;
}

const paths = new Map<string, string>();
/** The maximum number of cached search paths. Projects rarely use more search paths. */
const REMEMBERED_PATHS = 64;

function searchPath(schema: string, extra: readonly string[]): string {
  const key = [schema, ...extra].join('\0');
  let path = paths.get(key);
  if (path === undefined) {
    path = [schema, ...extra].map(quoteIdentifier).join(', ');
    if (paths.size >= REMEMBERED_PATHS) paths.clear();
    paths.set(key, path);
  }
  return path;
}

function headersJson({ headers }: RestRequest): string {
  return decodeHeader(
    JSON.stringify(headers.cookie === undefined ? headers : { ...headers, cookie: undefined }),
  );
}

function cookiesJson(header: string | readonly string[] | undefined): string {
  if (header === undefined) return '{}';
  const text = typeof header === 'string' ? header : header.join('; ');
  const cookies: Record<string, string> = {};
  for (const part of text.split(';')) {
    const [name = '', ...value] = part.trim().split('=');
    if (name !== '') cookies[name] = value.join('=');
  }
  return decodeHeader(JSON.stringify(cookies));
}
