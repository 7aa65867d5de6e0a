/** Validates the status and headers that a database function sets on the response. */
import { encodeHeader } from '../../../base/shared/http/header-text.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: header values can't contain these characters (RFC 9110 section 5.5)
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** Headers that control message framing and the connection (RFC 9112). Only the server can set them. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the headers except those that control framing. Returns undefined if a header is invalid. */
export function chosenHeaders(
  headers: readonly (readonly [name: string, value: unknown])[],
): [string, string][] | undefined {
  const chosen: [string, string][] = [];
  for (const [name, value] of headers) {
    if (!HEADER_NAME.test(name) || typeof value !== 'string' || CONTROL.test(value)) return undefined;
    if (!FRAMING.has(name.toLowerCase())) chosen.push([name, encodeHeader(value)]);
  }
  return chosen;
}

/**
 * Whether the response with this status is final. A response with a status below 200 is followed by another response
 * (RFC 9110 section 15.2), so the client would keep waiting.
 */
export const isFinalStatus = (status: number): boolean =>
  Number.isInteger(status) && status >= 200 && status <= 999;
