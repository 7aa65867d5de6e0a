/**
 * The server side of PostgreSQL's protocol 3.0. Only the messages that libpq needs for one simple query with one text
 * value as the result are implemented (PostgreSQL 18 documentation, chapter 54).
 */

const protocolVersion = 196_608;
const sslRequest = 80_877_103;
const gssRequest = 80_877_104;
/** The maximum size of a request, including its content. The server closes the connection if a request is larger. */
export const maxMessageBytes = 64 * 1024 * 1024;

export type Frame =
  /** A request for an encrypted connection, which is declined. */
  | { readonly kind: 'encryption' }
  | { readonly kind: 'startup' }
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'terminate' }
  /** A message of any other type, which is ignored. */
  | { readonly kind: 'other' };

/** Splits incoming bytes into messages. @throws {RangeError} if a length is invalid */
export class FrameReader {
  #buffer: Buffer = Buffer.alloc(0);
  #hasStarted = false;

  *read(chunk: Buffer): Generator<Frame> {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      // The startup message has no type byte.
      const head = this.#hasStarted ? 1 : 0;
      if (this.#buffer.length < head + 4) return;
      const length = this.#buffer.readUInt32BE(head);
      if (length < 4 || length > maxMessageBytes)
        throw new RangeError(`invalid message length: ${length} bytes`);
      if (this.#buffer.length < head + length) return;
      const type = this.#hasStarted ? String.fromCharCode(this.#buffer[0] as number) : '';
      const body = this.#buffer.subarray(head + 4, head + length);
      this.#buffer = this.#buffer.subarray(head + length);
      yield this.#frame(type, body);
    }
  }

  #frame(type: string, body: Buffer): Frame {
    if (!this.#hasStarted) {
      const code = body.length < 4 ? 0 : body.readUInt32BE(0);
      if (code === sslRequest || code === gssRequest) return { kind: 'encryption' };
      if (code >>> 16 !== protocolVersion >>> 16) return { kind: 'other' };
      this.#hasStarted = true;
      return { kind: 'startup' };
    }
    if (type === 'Q') return { kind: 'query', text: body.toString('utf8', 0, Math.max(0, body.length - 1)) };
    return type === 'X' ? { kind: 'terminate' } : { kind: 'other' };
  }
}

export const declined: Buffer = Buffer.from('N');

const cString = (text: string): Buffer => Buffer.from(`${text}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function integers(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeIntBE(value, 0, bytes);
      return buffer;
    }),
  );
}

const readyForQuery = message('Z', Buffer.from('I'));

/**
 * Returns the first response to a client. A password isn't required, because only the PostgreSQL server can access the
 * socket's folder.
 */
export function welcome(): Buffer {
  const settings = { server_version: '18.0', client_encoding: 'UTF8', standard_conforming_strings: 'on' };
  return Buffer.concat([
    message('R', integers([4, 0])),
    ...Object.entries(settings).map(([name, value]) => message('S', cString(name), cString(value))),
    message('K', integers([4, 0], [4, 0])),
    readyForQuery,
  ]);
}

const textOid = 25;

/** Returns the messages for a result with one row and one text column. */
export function textResult(text: string): Buffer {
  const value = Buffer.from(text);
  return Buffer.concat([
    message(
      'T',
      integers([2, 1]),
      cString('answer'),
      integers([4, 0], [2, 0], [4, textOid], [2, -1], [4, -1], [2, 0]),
    ),
    message('D', integers([2, 1], [4, value.length]), value),
    message('C', cString('SELECT 1')),
    readyForQuery,
  ]);
}

export function rejection(text: string): Buffer {
  const fields = { S: 'ERROR', V: 'ERROR', C: 'XX000', M: text };
  return Buffer.concat([
    message(
      'E',
      ...Object.entries(fields).map(([key, value]) => Buffer.from(`${key}${value}\0`)),
      Buffer.alloc(1),
    ),
    readyForQuery,
  ]);
}
