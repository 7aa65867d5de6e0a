/** The body of an answer: pieces in memory, or a store that it is read from while it is sent. Pure. */

/** In order; empty for none. */
type Pieces = readonly Uint8Array[];

export interface StoredBody {
  readonly sizeBytes: number;
  /** A piece is valid until the next is asked for. */
  chunks(): AsyncIterable<Uint8Array>;
}

export type Body = Pieces | StoredBody;

export const isStored = (body: Body): body is StoredBody => 'sizeBytes' in body;

/** In bytes. */
export const lengthOf = (body: Body): number =>
  isStored(body) ? body.sizeBytes : body.reduce((sum, part) => sum + part.byteLength, 0);

const NOTHING = Buffer.alloc(0);

/** What is stored, between `open` and `close`. */
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

/** bytea as PostgreSQL writes it: `\x` and hexadecimal digits. */
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
      // A digit whose second half comes with the next piece.
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
