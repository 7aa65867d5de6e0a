/** Writes a response to the socket. */
import type { ServerResponse } from 'node:http';
import type { Logger } from '../../base/kernel/log.ts';
import { isStored, type StoredBody } from './core/body.ts';
import type { RestResponse } from './core/respond.ts';

/** The chunks of a body up to this size are concatenated. The chunks of a larger body are written in batches. */
const JOIN_LIMIT_BYTES = 64 * 1024;
/** Bodies below this size are written as a string, which Node sends together with the head. */
const SMALL_BYTES = 8 * 1024;

/** If a client doesn't read any data from a large response for this duration, its connection is closed. */
const STALLED_MS = 120_000;

/**
 * Writes the head and the body. `more` contains additional headers as alternating names and values. Does nothing if the
 * client has disconnected. Throws if Node rejects a header.
 */
export function writeResponse(
  raw: ServerResponse,
  response: RestResponse,
  log: Logger,
  more: readonly string[] = [],
): void {
  const { body, release } = response;
  if (raw.destroyed) {
    release?.();
    return;
  }
  const headers = headArguments(response.headers, more);
  if (response.reason === undefined) raw.writeHead(response.status, headers);
  else raw.writeHead(response.status, cleanReason(response.reason), headers);
  if (release !== undefined) {
    raw.once('close', release);
    raw.setTimeout(STALLED_MS, () => raw.destroy());
  }
  if (isStored(body)) {
    stream(raw, body).catch((error: unknown) => {
      log.error({ error }, 'failed to read a buffered response');
      raw.destroy();
    });
    return;
  }
  const size = body.reduce((sum, part) => sum + part.byteLength, 0);
  if (size <= JOIN_LIMIT_BYTES) {
    const whole = body.length === 1 ? (body[0] as Uint8Array) : Buffer.concat(body, size);
    if (size > SMALL_BYTES) raw.end(whole);
    else raw.end(Buffer.from(whole.buffer, whole.byteOffset, size).toString('latin1'), 'latin1');
    return;
  }
  let batch: Uint8Array[] = [];
  let batched = 0;
  for (const part of body) {
    batch.push(part);
    batched += part.byteLength;
    if (batched < JOIN_LIMIT_BYTES) continue;
    raw.write(Buffer.concat(batch, batched));
    batch = [];
    batched = 0;
  }
  raw.end(Buffer.concat(batch, batched));
}

/**
 * Returns the headers as one flat list. If no other headers were set, Node writes such a list without further
 * processing.
 */
function headArguments(headers: RestResponse['headers'], more: readonly string[]): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) list.push(name, value);
  for (const text of more) list.push(text);
  return list;
}

/** Writes each chunk after the client has received the previous chunk. */
async function stream(raw: ServerResponse, body: StoredBody): Promise<void> {
  let go = () => {};
  raw.once('close', () => go());
  for await (const chunk of body.chunks()) {
    if (raw.destroyed) return;
    await new Promise<void>((resolve) => {
      go = resolve;
      raw.write(chunk, () => resolve());
    });
  }
  raw.end();
}

/** Removes characters that a reason phrase can't contain. A reason phrase is a single line of Latin-1 text. */
const cleanReason = (reason: string): string => reason.replace(/[^\x20-\x7e\xa0-\xff]/g, ' ');
