/**
 * The client side of the channel protocol. The protocol consists of Phoenix's serializer 2.0.0, whose frames are JSON
 * arrays, and the binary frames in which the realtime service forwards a user's broadcast (kind 4).
 */

export interface Frame {
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly ref: string | null;
}

const joinRef = '1';
const broadcastKind = 4;
/**
 * The number of bytes in a frame's header: the kind, the lengths of topic, event and metadata, and a byte that is 1 for
 * JSON.
 */
const headBytes = 5;
/** The number of bytes of a binary payload that are shown. */
const shownBytes = 256;

export const writeFrame = (topic: string, event: string, payload: unknown, ref: string): string =>
  JSON.stringify([joinRef, ref, topic, event, payload]);

/**
 * Parses a frame. Returns undefined if the frame is invalid. A binary payload is replaced with its size and first
 * bytes.
 */
export function readFrame(data: unknown): Frame | undefined {
  try {
    if (data instanceof ArrayBuffer) return readBroadcast(new Uint8Array(data));
    if (typeof data !== 'string') return undefined;
    const [, ref, topic, event, payload] = JSON.parse(data) as readonly unknown[];
    if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
    return {
      topic,
      event,
      payload: (payload ?? {}) as Record<string, unknown>,
      ref: typeof ref === 'string' ? ref : null,
    };
  } catch {
    return undefined;
  }
}

function readBroadcast(bytes: Uint8Array): Frame | undefined {
  const [kind, topicBytes, eventBytes, metaBytes, encoding] = bytes;
  if (kind !== broadcastKind || topicBytes === undefined || eventBytes === undefined) return undefined;
  if (metaBytes === undefined || encoding === undefined) return undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = headBytes;
  const take = (size: number): string => {
    if (offset + size > bytes.length) throw new RangeError('the frame ends early');
    offset += size;
    return decoder.decode(bytes.subarray(offset - size, offset));
  };
  const [topic, event, meta] = [take(topicBytes), take(eventBytes), take(metaBytes)];
  const rest = bytes.subarray(offset);
  const payload: unknown = encoding === 1 ? JSON.parse(decoder.decode(rest)) : binaryOf(rest);
  return {
    topic,
    event: 'broadcast',
    payload: { type: 'broadcast', event, payload, ...(meta === '' ? {} : { meta: JSON.parse(meta) }) },
    ref: null,
  };
}

function binaryOf(bytes: Uint8Array) {
  const hex = Array.from(bytes.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, '0'));
  return { bytes: bytes.length, hex: hex.join(' ') + (bytes.length > shownBytes ? ' …' : '') };
}
