/**
 * The format of encrypted files: a header (magic, flags, wrapped key), followed by 64 KiB frames, each encrypted with
 * AES-256-GCM. A frame's nonce contains the frame's number and whether the frame is the last one, as in the STREAM
 * construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015). Each key encrypts only one file, so nonces don't repeat.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { BackupError } from '../errors.ts';
import { newFileKey, unwrapKey, wrapKey, wrappedBytes } from './keys.ts';

const magic = Buffer.from('PLB1');
const headerBytes = magic.length + 1 + wrappedBytes;
export const frameBytes = 64 * 1024;
const tagBytes = 16;
const sealedFrameBytes = frameBytes + tagBytes;

export interface SealOptions {
  readonly wrappingKey: Buffer;
  /** The file's name in the target. A renamed file can't be decrypted. */
  readonly name: string;
}

/** Encrypts a file. `isCompressed` is stored in the header and authenticated. */
export async function* seal(
  plain: AsyncIterable<Uint8Array>,
  { wrappingKey, name, isCompressed }: SealOptions & { readonly isCompressed: boolean },
): AsyncGenerator<Buffer> {
  const start = Buffer.concat([magic, Buffer.from([isCompressed ? 1 : 0])]);
  const key = newFileKey();
  yield Buffer.concat([start, wrapKey(wrappingKey, key, boundTo(start, name))]);
  let number = 0;
  for await (const { bytes, isLast } of inFrames(plain, frameBytes)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

export interface Opened {
  readonly isCompressed: boolean;
  readonly bytes: AsyncGenerator<Buffer>;
}

/**
 * Decrypts a file. Yields only authenticated bytes.
 * @throws {BackupError} damaged, for example at the end of a truncated file
 */
export async function open(
  sealed: AsyncIterable<Uint8Array>,
  { wrappingKey, name }: SealOptions,
): Promise<Opened> {
  const reader = new Prefix(sealed);
  try {
    const header = await reader.take(headerBytes);
    const start = header.subarray(0, magic.length + 1);
    if (header.length < headerBytes || !start.subarray(0, magic.length).equals(magic))
      throw new BackupError('damaged');
    const key = unwrapKey(wrappingKey, header.subarray(start.length), boundTo(start, name));
    return { isCompressed: start[magic.length] === 1, bytes: openFrames(reader.rest(), key) };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function* openFrames(sealed: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { bytes, isLast } of inFrames(sealed, sealedFrameBytes)) {
    if (bytes.length < tagBytes) throw new BackupError('damaged');
    const content = bytes.subarray(0, -tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number++, isLast), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    let plain: Buffer;
    try {
      plain = Buffer.concat([decipher.update(content), decipher.final()]);
    } catch (cause) {
      throw new BackupError('damaged', undefined, cause);
    }
    yield plain;
  }
}

const boundTo = (start: Buffer, name: string): Buffer => Buffer.concat([start, Buffer.from(name, 'utf8')]);

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 0);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Regroups bytes into frames of exactly `size` bytes. The last frame may be shorter or empty. */
async function* inFrames(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (let chunk of source) {
    // Holds a full frame until more bytes arrive, because this frame may be the last one.
    while (heldBytes + chunk.length > size) {
      const taken = size - heldBytes;
      yield { bytes: joined([...held, chunk.subarray(0, taken)], size), isLast: false };
      held = [];
      heldBytes = 0;
      chunk = chunk.subarray(taken);
    }
    if (chunk.length === 0) continue;
    held.push(chunk);
    heldBytes += chunk.length;
  }
  yield { bytes: joined(held, heldBytes), isLast: true };
}

/** Joins chunks. A single chunk is returned without copying. */
function joined(chunks: readonly Uint8Array[], sizeBytes: number): Buffer {
  const [only, second] = chunks;
  return only === undefined || second !== undefined
    ? Buffer.concat(chunks, sizeBytes)
    : Buffer.from(only.buffer, only.byteOffset, sizeBytes);
}

/** Reads the first bytes of a stream separately from the rest of the stream. */
class Prefix {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Uint8Array = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Returns the next `size` bytes, or fewer at the end of the stream. */
  async take(size: number): Promise<Buffer> {
    let taken = Buffer.from(this.#left);
    while (taken.length < size) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      taken = Buffer.concat([taken, value]);
    }
    this.#left = taken.subarray(size);
    return taken.subarray(0, size);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    try {
      yield this.#left;
      for (;;) {
        const { done, value } = await this.#chunks.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      await this.close();
    }
  }
}
