/** Handles cross-origin requests as PostgREST 16 does (`Cors.hs` with wai-cors; Fetch standard, 3.2). Pure. */
import { EXPOSED_HEADERS } from '../rest/index.ts';

type Headers = readonly (readonly [name: string, value: string])[];

export type CorsResult =
  /** A preflight request. The response has status 200 and these headers. */
  | { readonly kind: 'preflight'; readonly headers: Headers }
  /** Headers to add to the service's response. */
  | { readonly kind: 'plain'; readonly headers: Headers };

export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  /** The values of Access-Control-Request-Method and Access-Control-Request-Headers. */
  readonly wantedMethod: string | undefined;
  readonly wantedHeaders: string | undefined;
}

const METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const ALWAYS_ALLOWED = ['Accept', 'Accept-Language', 'Content-Language'];
const MAX_AGE_SECONDS = 24 * 60 * 60;
/** RFC 9110 section 5.1. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * `origins` lists the allowed origins, which may send credentials. If it is empty, all origins are allowed, without
 * credentials.
 */
export function checkCors(request: CorsRequest, origins: readonly string[]): CorsResult {
  const none: CorsResult = { kind: 'plain', headers: [] };
  const { method, origin, wantedMethod } = request;
  if (origin === undefined) return none;
  if (origins.length > 0 && !origins.includes(origin)) return none;
  const allowed: Headers =
    origins.length === 0
      ? [['Access-Control-Allow-Origin', '*']]
      : [
          ['Access-Control-Allow-Origin', origin],
          ['Access-Control-Allow-Credentials', 'true'],
        ];
  if (method !== 'OPTIONS')
    return {
      kind: 'plain',
      headers: [...allowed, ['Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', ')]],
    };
  // For other requests, and for preflight requests with a disallowed method or header, the service responds as if no
  // origin were sent.
  const wanted = wantedNames(request.wantedHeaders);
  if (wantedMethod === undefined || !METHODS.includes(wantedMethod) || wanted === undefined) return none;
  const headers: [string, string][] = [['Access-Control-Allow-Methods', METHODS.join(', ')]];
  if (request.wantedHeaders !== undefined) {
    headers.push(['Access-Control-Allow-Headers', allowedHeaders(wanted).join(', ')]);
  }
  headers.push(['Access-Control-Max-Age', String(MAX_AGE_SECONDS)]);
  return { kind: 'preflight', headers: [...allowed, ...headers] };
}

/** Returns undefined if one of the names isn't a valid header name. */
function wantedNames(text: string | undefined): string[] | undefined {
  if (text === undefined || text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => HEADER_NAME.test(name)) ? names : undefined;
}

/** Every requested header is allowed. */
function allowedHeaders(wanted: readonly string[]): string[] {
  const named = ['Authorization', ...wanted];
  const known = new Set(named.map((name) => name.toLowerCase()));
  return [...named, ...ALWAYS_ALLOWED.filter((name) => !known.has(name.toLowerCase()))];
}
