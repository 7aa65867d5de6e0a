/**
 * Handles cross-origin requests as PostgREST 16 does (`Cors.hs` with wai-cors; Fetch standard, 3.2). Has no side
 * effects.
 */
import { EXPOSED_HEADERS } from '../../services/rest/index.ts';

type Headers = readonly (readonly [name: string, value: string])[];

export type CorsResult =
  /** A preflight request. The response has status 200 and the headers in `headers`. */
  | { readonly kind: 'preflight'; readonly headers: Headers }
  /** Any other cross-origin request. The service's response also gets the headers in `headers`. */
  | { readonly kind: 'plain'; readonly headers: Headers };

export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  /** The value of Access-Control-Request-Method. `requestedHeaders` is the value of Access-Control-Request-Headers. */
  readonly requestedMethod: string | undefined;
  readonly requestedHeaders: string | undefined;
}

const METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const ALWAYS_ALLOWED = ['Accept', 'Accept-Language', 'Content-Language'];
const MAX_AGE_SECONDS = 24 * 60 * 60;
/** The characters of a header name (RFC 9110 section 5.1). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Determines the response headers for a cross-origin request. `origins` lists the allowed origins, whose requests can
 * include credentials. If the list is empty, requests from all origins are allowed, but without credentials.
 */
export function checkCors(request: CorsRequest, origins: readonly string[]): CorsResult {
  const none: CorsResult = { kind: 'plain', headers: [] };
  const { method, origin, requestedMethod } = request;
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
  // If the request isn't a preflight request, or if its method or a header isn't allowed, the service responds as if
  // the request had no origin.
  const requested = parseHeaderNames(request.requestedHeaders);
  if (requestedMethod === undefined || !METHODS.includes(requestedMethod) || requested === undefined)
    return none;
  const headers: [string, string][] = [['Access-Control-Allow-Methods', METHODS.join(', ')]];
  if (request.requestedHeaders !== undefined) {
    headers.push(['Access-Control-Allow-Headers', allowedHeaders(requested).join(', ')]);
  }
  headers.push(['Access-Control-Max-Age', String(MAX_AGE_SECONDS)]);
  return { kind: 'preflight', headers: [...allowed, ...headers] };
}

/** Parses a list of header names. Returns undefined if one of the names isn't valid. */
function parseHeaderNames(text: string | undefined): string[] | undefined {
  if (text === undefined || text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => HEADER_NAME.test(name)) ? names : undefined;
}

/** Returns the names of all allowed headers, including every requested header. */
function allowedHeaders(requested: readonly string[]): string[] {
  const named = ['Authorization', ...requested];
  const known = new Set(named.map((name) => name.toLowerCase()));
  return [...named, ...ALWAYS_ALLOWED.filter((name) => !known.has(name.toLowerCase()))];
}
