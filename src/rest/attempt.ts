/** Runs a REST request within the process and optionally rolls it back, to preview the response an app would get. */
import { isStored } from './core/body.ts';
import type { RestRequest } from './core/request.ts';
import type { RestResponse } from './core/respond.ts';

export interface RestAttempt {
  readonly method: string;
  /** The path without the mount prefix, such as `/todos`. */
  readonly path: string;
  /** The query string without `?`. */
  readonly query: string;
  /** Lowercase header names. The token is sent as an app would send it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the transaction is always rolled back. */
  readonly rollsBack: boolean;
}

export interface AttemptResponse {
  readonly status: number;
  /** The beginning of the response body. */
  readonly text: string;
  readonly isCut: boolean;
}

export type Attempt = (attempt: RestAttempt, mostBytes: number) => Promise<AttemptResponse>;

export const createAttempt =
  (handle: (request: RestRequest) => Promise<RestResponse>): Attempt =>
  async ({ body, ...attempt }, mostBytes) => {
    const answer = await handle({ ...attempt, body: Buffer.from(body) });
    try {
      const { bytes, isCut } = await beginning(answer, mostBytes);
      return { status: answer.status, text: bytes.toString('utf8'), isCut };
    } finally {
      answer.release?.();
    }
  };

async function beginning(
  { body }: RestResponse,
  mostBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of isStored(body) ? body.chunks() : body) {
    // A piece is only valid until the next one is requested.
    pieces.push(Buffer.from(piece));
    size += piece.byteLength;
    if (size > mostBytes) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), isCut: size > mostBytes };
}
