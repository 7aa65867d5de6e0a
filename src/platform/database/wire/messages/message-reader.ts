/**
 * Splits the server's byte stream into messages. A message that is complete in one chunk is passed to the handler
 * without copying. A message that spans several chunks is assembled in a separate buffer, so that no byte is copied
 * more than once.
 */

/**
 * Receives a message. `buffer[start..end)` is the message's body, without the type and the length. The bytes remain
 * valid only as long as the chunk that contains them.
 */
type MessageHandler = (type: number, buffer: Buffer, start: number, end: number) => void;

/** Receives the body of a large message in chunks, so that the whole body is never in memory. */
export interface LargeMessage {
  push(buffer: Buffer, start: number, end: number): void;
  end(): void;
}

/**
 * Called for each message larger than {@link LARGE_MESSAGE_BYTES}. The returned object receives the message in chunks.
 * If undefined is returned, the {@link MessageHandler} receives the message as a whole.
 */
type LargeMessageHandler = (type: number, sizeBytes: number) => LargeMessage | undefined;

/** Messages above this size are considered large. A single read from the socket never returns so many bytes. */
export const LARGE_MESSAGE_BYTES = 4 * 1024 * 1024;

const HEADER = 5;

export class MessageReader {
  readonly #onMessage: MessageHandler;
  readonly #onLarge: LargeMessageHandler;
  /** The large message that is being received, and the number of its bytes that haven't arrived yet. */
  #large: LargeMessage | undefined;
  #missing = 0;
  /** The beginning of a message whose remaining bytes haven't arrived yet. */
  #partial: Buffer | undefined;
  #filled = 0;

  constructor(onMessage: MessageHandler, onLarge: LargeMessageHandler = () => undefined) {
    this.#onMessage = onMessage;
    this.#onLarge = onLarge;
  }

  push(chunk: Buffer): void {
    let offset = 0;
    if (this.#large !== undefined) offset = this.#passOn(this.#large, chunk, 0);
    else if (this.#partial !== undefined) offset = this.#complete(chunk);
    while (chunk.length - offset >= HEADER) {
      const end = offset + messageLength(chunk, offset);
      if (end > chunk.length) break;
      this.#onMessage(chunk[offset] as number, chunk, offset + HEADER, end);
      offset = end;
    }
    if (offset < chunk.length) this.#hold(chunk, offset);
  }

  /** Adds the chunk's bytes to the incomplete message. Returns the number of bytes that were taken from the chunk. */
  #complete(chunk: Buffer): number {
    let taken = 0;
    if (this.#filled < HEADER) {
      taken = this.#take(chunk, 0, HEADER);
      if (this.#filled < HEADER) return taken;
    }
    let partial = this.#partial as Buffer;
    const length = messageLength(partial, 0);
    if (partial.length < length) {
      const large = this.#begin(partial, 0, length);
      if (large !== undefined) {
        this.#partial = undefined;
        this.#filled = 0;
        return this.#passOn(large, chunk, taken);
      }
      const whole = Buffer.allocUnsafeSlow(length);
      partial.copy(whole, 0, 0, this.#filled);
      this.#partial = partial = whole;
    }
    taken += this.#take(chunk, taken, length);
    if (this.#filled < length) return taken;
    this.#partial = undefined;
    this.#filled = 0;
    this.#onMessage(partial[0] as number, partial, HEADER, length);
    return taken;
  }

  #take(chunk: Buffer, from: number, until: number): number {
    const count = Math.min(until - this.#filled, chunk.length - from);
    chunk.copy(this.#partial as Buffer, this.#filled, from, from + count);
    this.#filled += count;
    return count;
  }

  #hold(chunk: Buffer, offset: number): void {
    const rest = chunk.length - offset;
    const size = rest < HEADER ? HEADER : messageLength(chunk, offset);
    const large = this.#begin(chunk, offset, size);
    if (large !== undefined) {
      this.#passOn(large, chunk, offset + HEADER);
      return;
    }
    this.#partial = Buffer.allocUnsafeSlow(size);
    this.#filled = chunk.copy(this.#partial, 0, offset);
  }

  #begin(buffer: Buffer, offset: number, length: number): LargeMessage | undefined {
    if (length <= LARGE_MESSAGE_BYTES) return undefined;
    this.#missing = length - HEADER;
    this.#large = this.#onLarge(buffer[offset] as number, this.#missing);
    return this.#large;
  }

  /**
   * Passes the part of the chunk that belongs to a large message to `large`. The part starts at the offset `from`.
   * Returns the offset of the next message in the chunk.
   */
  #passOn(large: LargeMessage, chunk: Buffer, from: number): number {
    const until = Math.min(from + this.#missing, chunk.length);
    this.#missing -= until - from;
    large.push(chunk, from, until);
    if (this.#missing === 0) {
      this.#large = undefined;
      large.end();
    }
    return until;
  }
}

/** Returns the length of the whole message, including the type byte. */
function messageLength(buffer: Buffer, offset: number): number {
  const length = buffer.readInt32BE(offset + 1);
  if (length < 4)
    throw new RangeError(`A message from the server declares an invalid length of ${length} bytes.`);
  return length + 1;
}
