/** Cross-origin requests as PostgREST 16 answers them (its `Cors.hs` over wai-cors; the Fetch standard, 3.2). Pure. */
import { EXPOSED_HEADERS } from '../rest/index.ts';

type Headers = readonly (readonly [name: string, value: string])[];

export type CorsAnswer =
  /** A preflight, answered here: 200 with these headers. */
  | { readonly kind: 'preflight'; readonly headers: Headers }
  /** What is added to the service's answer. */
  | { readonly kind: 'plain'; readonly headers: Headers };

export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  /** Access-Control-Request-Method and -Headers. */
  readonly wantedMethod: string | undefined;
  readonly wantedHeaders: string | undefined;
}

const METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const ALWAYS_ALLOWED = ['Accept', 'Accept-Language', 'Content-Language'];
const MAX_AGE_SECONDS = 24 * 60 * 60;
/** RFC 9110 section 5.1. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** `origins`: those that may call, with credentials; none listed: all may, without. */
export function answerCors(request: CorsRequest, origins: readonly string[]): CorsAnswer {
  const none: CorsAnswer = { kind: 'plain', headers: [] };
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
  // Not a preflight, or one that asks for what nobody may do: the service answers as if no origin were named.
  const wanted = wantedNames(request.wantedHeaders);
  if (wantedMethod === undefined || !METHODS.includes(wantedMethod) || wanted === undefined) return none;
  const headers: [string, string][] = [['Access-Control-Allow-Methods', METHODS.join(', ')]];
  if (request.wantedHeaders !== undefined) {
    headers.push(['Access-Control-Allow-Headers', allowedHeaders(wanted).join(', ')]);
  }
  headers.push(['Access-Control-Max-Age', String(MAX_AGE_SECONDS)]);
  return { kind: 'preflight', headers: [...allowed, ...headers] };
}

/** Undefined when one is not the name of a header. */
function wantedNames(text: string | undefined): string[] | undefined {
  if (text === undefined || text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => HEADER_NAME.test(name)) ? names : undefined;
}

/** Whatever is asked for is allowed. */
function allowedHeaders(wanted: readonly string[]): string[] {
  const named = ['Authorization', ...wanted];
  const known = new Set(named.map((name) => name.toLowerCase()));
  return [...named, ...ALWAYS_ALLOWED.filter((name) => !known.has(name.toLowerCase()))];
}
