/**
 * Batches on their way between processes: cut to what the transport takes, numbered, and sealed with AES-256-GCM. Any
 * login of a database may LISTEN and NOTIFY there, and what goes over the bus is meant for those only whom policies admit.
 *
 * A chunk: origin (16 bytes, the sending process), number (48 bits, counts up from 1), sealed flags and slice, tag (16
 * bytes). The key is the origin's own (HKDF of the group's secret), so the number is a nonce that never comes twice.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const originBytes = 16;
const headBytes = originBytes + 6;
const tagBytes = 16;
/** Before the slice. */
const flagBytes = 1;
const first = 1;
const last = 2;

/** The bytes that a chunk adds to its slice. */
export const chunkOverheadBytes = headBytes + flagBytes + tagBytes;

const keyOf = (secret: string, origin: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, origin, 'plinth realtime bus', 32));

/** Twelve bytes, of which the number fills the last six. */
function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(12);
  head.copy(nonce, 6, originBytes, headBytes);
  return nonce;
}

export interface Sealer {
  /** In the order in which they have to arrive. */
  seal(batch: Buffer): Buffer[];
}

/** @param origin 16 random bytes */
export function createSealer(secret: string, origin: Buffer, maxChunkBytes: number): Sealer {
  const key = keyOf(secret, origin);
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

/** What a chunk led to. */
export interface Opened {
  /** The sending process, as hex. */
  readonly origin: string;
  /** Chunks of it never came: something that it told is missing. */
  readonly gap: boolean;
  /** Undefined until the last chunk of a batch is there. */
  readonly batch: Buffer | undefined;
}

export interface Opener {
  /** Undefined for what is not of the group, is one's own, or was there before. */
  open(chunk: Buffer): Opened | undefined;
  /** The process is gone: it does not come back under this name. */
  forget(origin: string): void;
}

interface Inbound {
  readonly key: Buffer;
  number: number;
  /** Undefined: the beginning of the batch was missed. */
  slices: Buffer[] | undefined;
}

/** @param self chunks of this origin are left alone */
export function createOpener(secret: string, self: Buffer): Opener {
  const inbound = new Map<string, Inbound>();
  return {
    open(chunk) {
      if (chunk.length < chunkOverheadBytes || self.equals(chunk.subarray(0, originBytes))) return undefined;
      const origin = chunk.toString('hex', 0, originBytes);
      const known = inbound.get(origin);
      const number = chunk.readUIntBE(originBytes, 6);
      if (known !== undefined && number <= known.number) return undefined;
      const key = known?.key ?? keyOf(secret, chunk.subarray(0, originBytes));
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

/** Undefined: sealed by somebody who does not know the secret, or changed on its way. */
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
