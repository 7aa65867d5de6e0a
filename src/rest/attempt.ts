/** A request to REST from within the process, which can be undone: to see what an app would get. */
import { isStored } from './core/body.ts';
import type { RestRequest } from './core/request.ts';
import type { RestResponse } from './core/respond.ts';

export interface RestAttempt {
  readonly method: string;
  /** `/todos`, without the mount's prefix. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Lower-case names; the token as an app sends it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The transaction is rolled back, whatever comes of it. */
  readonly rollsBack: boolean;
}

export interface AttemptAnswer {
  readonly status: number;
  /** Its beginning. */
  readonly text: string;
  readonly isCut: boolean;
}

export type Attempt = (attempt: RestAttempt, mostBytes: number) => Promise<AttemptAnswer>;

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
    // It is valid until the next is asked for.
    pieces.push(Buffer.from(piece));
    size += piece.byteLength;
    if (size > mostBytes) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), isCut: size > mostBytes };
}
