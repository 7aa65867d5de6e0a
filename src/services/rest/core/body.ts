/**
 * Represents a response body, which consists either of chunks in memory or of a store that is read while the response
 * is sent.
 */

/** The chunks of a body, in order. The list is empty if the body is empty. */
type Chunks = readonly Uint8Array[];

export interface StoredBody {
  readonly sizeBytes: number;
  /** Iterates over the body. Each chunk is only valid until the next chunk is requested. */
  chunks(): AsyncIterable<Uint8Array>;
}

export type Body = Chunks | StoredBody;

export const isStored = (body: Body): body is StoredBody => 'sizeBytes' in body;

/** Returns the body's length in bytes. */
export const lengthOf = (body: Body): number =>
  isStored(body) ? body.sizeBytes : body.reduce((sum, part) => sum + part.byteLength, 0);

const NOTHING = Buffer.alloc(0);

/** Returns the stored body with `open` before it and `close` after it. */
export function storedBody(stored: StoredBody, open = NOTHING, close = NOTHING): StoredBody {
  return {
    sizeBytes: open.length + stored.sizeBytes + close.length,
    async *chunks() {
      if (open.length > 0) yield open;
      yield* stored.chunks();
      if (close.length > 0) yield close;
    },
  };
}

/** Decodes PostgreSQL's text format for bytea, which is `\x` followed by hexadecimal digits. */
export function fromHex(body: Body): Body {
  const prefix = 2;
  if (!isStored(body)) {
    return body.map((text) =>
      Buffer.from(Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1', prefix), 'hex'),
    );
  }
  return {
    sizeBytes: (body.sizeBytes - prefix) / 2,
    async *chunks() {
      // The first hexadecimal digit of a byte whose second digit is in the next chunk.
      let half = '';
      let isFirst = true;
      for await (const chunk of body.chunks()) {
        const text =
          half +
          Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1', isFirst ? prefix : 0);
        isFirst = false;
        half = text.length % 2 === 0 ? '' : text.slice(-1);
        yield Buffer.from(text.slice(0, text.length - half.length), 'hex');
      }
    },
  };
}
