/**
 * Handles requests from the `http` extension. The extension's functions (`http--1.6.sql`) pass a request as JSON and
 * receive a response or an error.
 */
import { ExchangeError, type ExchangeRequest, type Exchanges } from '../exchange.ts';

/**
 * The JSON that `http()` creates. It must be validated because a caller of `http()` can also call the extension's
 * internal functions with any text.
 */
interface Question {
  readonly method: string;
  readonly uri: string;
  readonly headers: readonly (readonly [field: string, value: string | null])[];
  readonly content: string | null;
  readonly timeout_ms: number;
}

/**
 * The maximum number of redirects, which is the same as upstream's value of CURLOPT_MAXREDIRS. Redirects aren't
 * followed for HEAD requests.
 */
export const maxHttpRedirects = 5;
export const maxHttpTimeoutMs = 600_000;

export async function handleHttp(
  exchanges: Exchanges,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { status, headers, body } = await exchanges.send(requestOf(readQuestion(question)), signal);
    const contentType = headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;
    return storable({ status, content_type: contentType, headers, content: body.toString('utf8') });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return storable({ error: error.message });
  }
}

/** Parses the request. @throws {ExchangeError} */
function readQuestion(text: string): Question {
  let found: Partial<Record<keyof Question, unknown>> | null = null;
  try {
    found = JSON.parse(text);
  } catch {
    // Invalid JSON is treated like an empty request, which is rejected below.
  }
  const { method, uri, headers, content, timeout_ms: timeoutMs } = found ?? {};
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isHeader = (pair: unknown): boolean =>
    Array.isArray(pair) && isText(pair[0]) && (pair[1] === null || isText(pair[1]));
  const isQuestion =
    isText(method) &&
    /^[A-Za-z]{1,20}$/.test(method as string) &&
    isText(uri) &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    (content === null || isText(content)) &&
    Number.isFinite(timeoutMs);
  if (!isQuestion) throw new ExchangeError('the request is invalid');
  return found as Question;
}

function requestOf({ method, uri, headers, content, timeout_ms: timeoutMs }: Question): ExchangeRequest {
  return {
    method: method.toUpperCase(),
    url: uri,
    headers: headers.map(([field, value]) => [field, value ?? '']),
    body: content === null ? undefined : Buffer.from(content),
    timeoutMs: Math.min(Math.max(1, timeoutMs), maxHttpTimeoutMs),
    maxRedirects: method.toUpperCase() === 'HEAD' ? 0 : maxHttpRedirects,
  };
}

/** Converts a value to JSON without null characters, which text in PostgreSQL can't contain. */
const storable = (value: object): string => JSON.stringify(value).replaceAll('\\u0000', '\\ufffd');
