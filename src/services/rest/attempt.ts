/**
 * Runs a REST request within the process to preview the response that an app would get. The transaction of the request
 * can be rolled back.
 */
import { encodeHeader } from '../../base/shared/http/header-text.ts';
import { isStored } from './core/body.ts';
import type { RestRequest } from './core/request.ts';
import type { RestResponse } from './core/respond.ts';

export interface RestAttempt {
  readonly method: string;
  /** The path without the mount prefix, such as `/todos`. */
  readonly path: string;
  /** The query string without `?`. */
  readonly query: string;
  /** The request headers by lowercase name, including the header with the token, as in a request from an app, but not encoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the transaction is rolled back even if the request succeeds. */
  readonly rollsBack: boolean;
}

export interface AttemptResponse {
  readonly status: number;
  /** The beginning of the response body. */
  readonly text: string;
  readonly isCut: boolean;
}

export type Attempt = (attempt: RestAttempt, maxBytes: number) => Promise<AttemptResponse>;

type Handle = (request: RestRequest) => Promise<RestResponse>;

export const createAttempt =
  (handle: Handle): Attempt =>
  async (request, maxBytes) => {
    const { status, text, isCut } = await attempt(handle, request, maxBytes);
    return { status, text, isCut };
  };

/** Runs a request, and returns the beginning of the response. */
export async function attempt(
  handle: Handle,
  { body, ...request }: RestAttempt,
  maxBytes: number,
): Promise<AttemptResponse & Pick<RestResponse, 'headers'>> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, encodeHeader(value)]),
  );
  const response = await handle({ ...request, headers, body: Buffer.from(body) });
  try {
    const { bytes, isCut } = await beginning(response, maxBytes);
    return { status: response.status, headers: response.headers, text: bytes.toString('utf8'), isCut };
  } finally {
    response.release?.();
  }
}

async function beginning(
  { body }: RestResponse,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of isStored(body) ? body.chunks() : body) {
    // The chunk is copied because it is only valid until the next chunk is requested.
    chunks.push(Buffer.from(chunk));
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
