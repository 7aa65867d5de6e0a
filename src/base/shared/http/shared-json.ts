/** Prepares JSON responses that are sent more than once. */
import type { SharedResponse } from '../../kernel/service.ts';

/**
 * Returns the response with this JSON body. The headers have the values that Fastify sets.
 *
 * @example sharedJson({ ok: true }, ['cache-control', 'no-store'])
 */
export function sharedJson(value: unknown, headers: readonly string[] = []): SharedResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    headers: [
      ...headers,
      ...['content-type', 'application/json; charset=utf-8'],
      ...['content-length', String(bytes.byteLength)],
    ],
    body: bytes.toString('latin1'),
  };
}

/**
 * Returns a function that returns the prepared JSON of a value, and prepares it again only if the value has been
 * replaced by another object.
 *
 * @param render Returns the content of the body
 */
export function preparedJson<T extends object>(
  current: () => T,
  render: (value: T) => unknown,
  headers: readonly string[] = [],
): () => SharedResponse {
  let last: { readonly value: T; readonly response: SharedResponse } | undefined;
  return () => {
    const value = current();
    if (last?.value !== value) last = { value, response: sharedJson(render(value), headers) };
    return last.response;
  };
}
