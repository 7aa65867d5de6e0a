/**
 * Splits batches into chunks of the transport's size, numbers the chunks, and encrypts them with AES-256-GCM.
 * Encryption is necessary because every role that can log in to the database can use LISTEN and NOTIFY. Only users to
 * whom the policies grant access may read the messages.
 *
 * A chunk consists of the origin (16 bytes, which identify the sending process), the number (48 bits, starting at 1),
 * the encrypted flags and slice, and the tag (16 bytes). Each origin has its own key, which is derived from the group's
 * secret with HKDF, so the number is a nonce that never repeats.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const originBytes = 16;
const headBytes = originBytes + 6;
const tagBytes = 16;
/** The flags precede the slice. */
const flagBytes = 1;
const first = 1;
const last = 2;

/** The number of bytes that a chunk contains in addition to its slice. */
export const chunkOverheadBytes = headBytes + flagBytes + tagBytes;

/** The uses of sealed chunks, which have different keys, so that a chunk can't be moved from one use to another. */
type Purpose = 'bus' | 'changes';

const keyOf = (secret: string, origin: Buffer, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, origin, `plinth realtime ${purpose}`, 32));

/** Returns a 12-byte nonce with the number in the last six bytes. */
function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(12);
  head.copy(nonce, 6, originBytes, headBytes);
  return nonce;
}

export interface Sealer {
  /** Returns the chunks in the order in which they must be sent. */
  seal(batch: Buffer): Buffer[];
}

/** Creates a sealer. @param origin 16 random bytes that no other sealer uses. */
export function createSealer(
  secret: string,
  origin: Buffer,
  maxChunkBytes: number,
  purpose: Purpose = 'bus',
): Sealer {
  const key = keyOf(secret, origin, purpose);
  const sliceBytes = maxChunkBytes - chunkOverheadBytes;
  let number = 0;
  return {
    seal(batch) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < batch.length; at += sliceBytes) {
        const head = Buffer.alloc(headBytes);
        origin.copy(head);
        head.writeUIntBE(++number, originBytes, 6);
        const cipher = createCipheriv(algorithm, key, nonceOf(head)).setAAD(head);
        const flags = (at === 0 ? first : 0) | (at + sliceBytes >= batch.length ? last : 0);
        const body = cipher.update(
          Buffer.concat([Buffer.from([flags]), batch.subarray(at, at + sliceBytes)]),
        );
        chunks.push(Buffer.concat([head, body, cipher.final(), cipher.getAuthTag()]));
      }
      return chunks;
    },
  };
}

/** The result of decrypting a received chunk. */
export interface Opened {
  /** The origin of the sending process, in hexadecimal. */
  readonly origin: string;
  /** Whether chunks, and therefore messages, were lost before this chunk. */
  readonly gap: boolean;
  /** The batch that this chunk completes. Undefined if more chunks follow or the beginning of the batch was missed. */
  readonly batch: Buffer | undefined;
}

export interface Opener {
  /**
   * Decrypts a chunk. Returns undefined if the chunk was sent from outside the group, was sent by this process or was
   * already processed.
   */
  open(chunk: Buffer): Opened | undefined;
  /** Discards the stored state of a process that has exited. A process never reuses its origin. */
  forget(origin: string): void;
}

interface Inbound {
  readonly key: Buffer;
  number: number;
  /** The slices of the current batch that have been received. Undefined if the beginning of the batch was missed. */
  slices: Buffer[] | undefined;
}

/** Creates an opener. @param self The origin of this process, whose own chunks are ignored. */
export function createOpener(secret: string, self: Buffer): Opener {
  const inbound = new Map<string, Inbound>();
  return {
    open(chunk) {
      if (chunk.length < chunkOverheadBytes || self.equals(chunk.subarray(0, originBytes))) return undefined;
      const origin = chunk.toString('hex', 0, originBytes);
      const known = inbound.get(origin);
      const number = chunk.readUIntBE(originBytes, 6);
      if (known !== undefined && number <= known.number) return undefined;
      const key = known?.key ?? keyOf(secret, chunk.subarray(0, originBytes), 'bus');
      const plain = decrypted(key, chunk);
      if (plain === undefined) return undefined;
      const from = known ?? { key, number: number - 1, slices: undefined };
      inbound.set(origin, from);
      const gap = number !== from.number + 1;
      from.number = number;
      const flags = plain[0] as number;
      if ((flags & first) !== 0) from.slices = [];
      else if (gap) from.slices = undefined;
      from.slices?.push(plain.subarray(flagBytes));
      const whole = (flags & last) !== 0 ? from.slices : undefined;
      if ((flags & last) !== 0) from.slices = undefined;
      return { origin, gap, batch: whole === undefined ? undefined : Buffer.concat(whole) };
    },
    forget(origin) {
      inbound.delete(origin);
    },
  };
}

/** Returns the decrypted slice, or undefined if the chunk was encrypted with a different secret or was modified. */
function decrypted(key: Buffer, chunk: Buffer): Buffer | undefined {
  const head = chunk.subarray(0, headBytes);
  const decipher = createDecipheriv(algorithm, key, nonceOf(head), { authTagLength: tagBytes });
  decipher.setAAD(head).setAuthTag(chunk.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(chunk.subarray(headBytes, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The maximum number of senders whose keys and incomplete batches are stored. */
const maxSenders = 16;

/**
 * Opens chunks of a log that is read from any position and more than once, so the numbers of the chunks don't matter.
 * Returns the batch that a chunk completes.
 */
export function createLogOpener(secret: string): (chunk: Buffer) => Buffer | undefined {
  const senders = new Map<string, { readonly key: Buffer; next: number; slices: Buffer[] | undefined }>();
  return (chunk) => {
    if (chunk.length < chunkOverheadBytes) return undefined;
    const origin = chunk.toString('hex', 0, originBytes);
    const known = senders.get(origin);
    const key = known?.key ?? keyOf(secret, chunk.subarray(0, originBytes), 'changes');
    const plain = decrypted(key, chunk);
    if (plain === undefined) return undefined;
    const sender = known ?? { key, next: 0, slices: undefined };
    senders.set(origin, sender);
    for (const oldest of senders.keys()) {
      if (senders.size <= maxSenders) break;
      senders.delete(oldest);
    }
    const number = chunk.readUIntBE(originBytes, 6);
    const flags = plain[0] as number;
    if ((flags & first) !== 0) sender.slices = [];
    else if (number !== sender.next) sender.slices = undefined;
    sender.next = number + 1;
    sender.slices?.push(plain.subarray(flagBytes));
    if ((flags & last) === 0) return undefined;
    const batch = sender.slices && Buffer.concat(sender.slices);
    sender.slices = undefined;
    return batch;
  };
}
