/** Sends request bodies of random sizes in writes of random sizes with pauses, so that every buffer fills and empties. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';

export interface PacedBody {
  readonly sizeBytes: number;
  /** Whether the body is sent without its length. */
  readonly isChunked: boolean;
  /** The sizes of the writes, which repeat. */
  readonly writeBytes: readonly number[];
  /** The pauses between the writes, in milliseconds, which repeat. */
  readonly pausesMs: readonly number[];
}

const megabyte = 1024 * 1024;

/** The sizes around each buffer on the way (64 KiB to 256 KiB) are more likely than others. */
const sizes = fc.oneof(
  fc.constantFrom(0, 1, 16_384, 16_385, 65_536, 65_537),
  fc.integer({ min: 200_000, max: 400_000 }),
  fc.integer({ min: 1, max: 2 * megabyte }),
  fc.integer({ min: 2 * megabyte, max: 20 * megabyte }),
);

/** Returns bodies of 0 to 20 MiB. The same seed always returns the same bodies. */
export function pacedBodies(seed: number, count: number): PacedBody[] {
  const body = fc.record({
    sizeBytes: sizes,
    isChunked: fc.boolean(),
    writeBytes: fc.array(fc.integer({ min: 20_000, max: 500_000 }), { minLength: 1, maxLength: 4 }),
    pausesMs: fc.array(fc.constantFrom(0, 0, 0, 1, 5), { minLength: 1, maxLength: 5 }),
  });
  return fc.sample(fc.noBias(body), { seed, numRuns: count });
}

/** Returns bytes and their hash. A repeated pattern would hide chunks that are lost or swapped. */
export function bytesOf({ sizeBytes }: PacedBody): { readonly bytes: Buffer; readonly sha256: string } {
  const bytes = randomBytes(sizeBytes);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export interface PacedRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly agent: Agent;
}

/** Sends the bytes at the body's pace. Returns the status and the text of the response. */
export async function sendPaced(
  url: string,
  { method, headers, agent }: PacedRequest,
  { isChunked, writeBytes, pausesMs }: PacedBody,
  bytes: Buffer,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };
  const sent = request(url, { method, agent, headers: { ...headers, ...framing } });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  responded.catch(() => undefined);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const end = at + (writeBytes[turn % writeBytes.length] ?? 1);
    if (!sent.write(bytes.subarray(at, end))) await Promise.race([once(sent, 'drain'), responded]);
    const pauseMs = pausesMs[turn % pausesMs.length] ?? 0;
    if (pauseMs > 0) await delay(pauseMs);
    at = end;
  }
  sent.end();
  const [response] = await responded;
  return { status: response.statusCode, body: await text(response) };
}
