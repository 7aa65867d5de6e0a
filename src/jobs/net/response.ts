/**
 * Converts an exchange to the response that pg_net stores. The text contains only characters that PostgreSQL can store.
 */
import { ExchangeError, type ExchangeResponse } from '../exchange.ts';
import type { NetResponse } from './queries.ts';

/** Removes null characters, which text in PostgreSQL can't contain. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Returns the response. If a header occurs more than once, the last value is kept, as in upstream's jsonb. */
export function responseOf(id: string, { status, headers, body }: ExchangeResponse): NetResponse {
  const contentType = headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return {
    id,
    status_code: status,
    content_type: contentType === undefined ? null : storable(contentType),
    headers: Object.fromEntries(headers.map(([name, value]) => [storable(name), storable(value)])),
    content: body.length === 0 ? null : storable(body.toString('utf8')),
    timed_out: false,
    error_msg: null,
  };
}

export function failureOf(id: string, error: unknown): NetResponse {
  return {
    id,
    status_code: null,
    content_type: null,
    headers: null,
    content: null,
    timed_out: error instanceof ExchangeError && error.timedOut,
    error_msg: storable((error as Error).message),
  };
}
