/** Status and headers that the database chose: which of them an answer can have. Pure. */
import { encodeHeader } from './header-text.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header value may hold none (RFC 9110 section 5.5)
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** They say where this message ends and what becomes of the connection (RFC 9112): the server's to know. */
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

/** Without those that frame the message. Undefined: one of them is no header. */
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

/** Below 200 an answer is still to come (RFC 9110 section 15.2), and clients wait for it. */
export const isFinalStatus = (status: number): boolean =>
  Number.isInteger(status) && status >= 200 && status <= 999;
