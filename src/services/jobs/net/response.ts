/**
 * Converts an exchange to the response that pg_net stores. The text contains only characters that PostgreSQL can store.
 */
import { ExchangeError, type ExchangeResponse } from '../exchange.ts';
import type { NetResponse } from './queries.ts';

const maxPartChars = 8 * 1024 * 1024;

/** Removes null characters, which text in PostgreSQL can't contain. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

/**
 * Returns the response. If a header occurs more than once, the last value is kept, as in upstream's `headers` column.
 */
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

/**
 * Splits responses into parts that are stored with one statement each. Servers choose the size of their responses, so
 * all responses together could exceed the limits of a JavaScript string and of jsonb.
 */
export function partsOf(responses: readonly NetResponse[]): NetResponse[][] {
  const parts: NetResponse[][] = [];
  let chars = 0;
  for (const response of responses) {
    const size = response.content?.length ?? 0;
    const part = chars + size > maxPartChars ? undefined : parts.at(-1);
    if (part === undefined) parts.push([response]);
    else part.push(response);
    chars = part === undefined ? size : chars + size;
  }
  return parts;
}
