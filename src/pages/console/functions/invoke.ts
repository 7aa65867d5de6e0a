/** Sends a request to a function in this process and reads only the part of the response that the page shows. */
import { ConsoleError } from '../errors.ts';
import { requireNormalizedPath } from '../service-client.ts';
import type { FunctionResponse } from './contract.ts';

export interface Invocation {
  readonly method: string;
  /** The path and query after the function's slug. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface FunctionRequest extends Invocation {
  readonly slug: string;
  /** The headers that identify the caller. */
  readonly identity: Readonly<Record<string, string>>;
}

export interface InvokeLimits {
  readonly timeoutMs: number;
  readonly bodyBytes: number;
}

export const invokeLimits: InvokeLimits = { timeoutMs: 60_000, bodyBytes: 512 * 1024 };

/** Headers that apply to the connection or identify the client. Only Plinth may set these headers. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|x-forwarded-.*)$/i;

/**
 * Invokes a function.
 * @throws {ConsoleError} upstream if the response doesn't begin in time, bad_request if the path leads to a different
 * endpoint
 * @example
 * await invoke(stream, { slug: 'hello', method: 'GET', path: '', headers: [], body: '', identity: {} }, invokeLimits, now);
 */
export async function invoke(
  stream: (path: string, init: RequestInit) => Promise<Response>,
  { slug, method, path, headers, body, identity }: FunctionRequest,
  limits: InvokeLimits,
  now: () => number,
): Promise<FunctionResponse> {
  const target = `/functions/v1/${encodeURIComponent(slug)}${path}`;
  requireNormalizedPath(target);
  const startedAt = now();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), limits.timeoutMs);
  try {
    const sent = new Headers(identity);
    for (const [name, value] of headers) if (!ownHeaders.test(name)) sent.set(name, value);
    const hasBody = body !== '' && method !== 'GET' && method !== 'HEAD';
    const response = await stream(target, {
      method,
      headers: sent,
      signal: stop.signal,
      ...(hasBody ? { body } : {}),
    });
    const headMs = now() - startedAt;
    const read = await readBody(response, limits.bodyBytes, stop.signal);
    const isText = isReadable(read.bytes, response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: [...response.headers],
      body: read.bytes.toString(isText ? 'utf8' : 'base64'),
      isText,
      sizeBytes: read.bytes.length,
      isCut: read.isCut,
      headMs,
      totalMs: now() - startedAt,
      requestId: response.headers.get('x-request-id'),
    };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new ConsoleError('upstream', {
      message: `The function didn't respond within ${limits.timeoutMs / 1000} seconds.`,
    });
  } finally {
    clearTimeout(timer);
    // Aborts the rest of the response, because a function can send data endlessly.
    stop.abort();
  }
}

async function readBody(
  response: Response,
  maxBytes: number,
  stop: AbortSignal,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return { bytes: Buffer.alloc(0), isCut: false };
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    while (size < maxBytes) {
      const part = await Promise.race([reader.read(), stopped]);
      if (part === undefined) return { bytes: Buffer.concat(chunks), isCut: true };
      if (part.done) return { bytes: Buffer.concat(chunks), isCut: false };
      chunks.push(part.value);
      size += part.value.length;
    }
  } catch (error) {
    // If the response was interrupted, the page shows the part that was received.
    if (size === 0) throw error;
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
}

function isReadable(bytes: Buffer, contentType: string): boolean {
  if (/^(?:image\/(?!svg)|audio|video|font)/.test(contentType)) return false;
  // Omits an incomplete character at the end, because the size limit may have cut the last character in two.
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, Math.max(0, bytes.length - 4)));
  return !text.includes('\0') && !text.includes('\ufffd');
}
