/** Collects messages for the server in a single buffer, which is sent in one write. */
import { Frontend } from './messages.ts';

/** A parameter in text format. Bytes are sent unchanged. */
export type WireParameter = string | Uint8Array | null;

const INITIAL_SIZE = 4096;
/** A buffer that a large statement has made larger than this size isn't reused. */
const KEPT_SIZE = 256 * 1024;

export class MessageWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /**
   * Returns the data that was written since the last call of this method. If the socket still needs the buffer after
   * its `write` has returned, call {@link renew}.
   */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    if (this.#buffer.length > KEPT_SIZE) this.renew();
    return bytes;
  }

  renew(): void {
    this.#buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  }

  startup(version: number, parameters: Iterable<readonly [string, string]>): void {
    const start = this.#reserveLength();
    this.#int32(version);
    for (const [name, value] of parameters) {
      this.#text(name);
      this.#text(value);
    }
    this.#byte(0);
    this.#endLength(start);
  }

  sslRequest(code: number): void {
    const start = this.#reserveLength();
    this.#int32(code);
    this.#endLength(start);
  }

  /** Writes a cancel request. In protocol 3.0, the key has 4 bytes. */
  cancelRequest(code: number, processId: number, secretKey: Uint8Array): void {
    const start = this.#reserveLength();
    this.#int32(code);
    this.#int32(processId);
    this.#bytesOf(secretKey);
    this.#endLength(start);
  }

  password(password: string): void {
    const start = this.#begin(Frontend.Password);
    this.#text(password);
    this.#endLength(start);
  }

  saslInitial(mechanism: string, response: string): void {
    const start = this.#begin(Frontend.Password);
    this.#text(mechanism);
    this.#parameter(response);
    this.#endLength(start);
  }

  saslResponse(response: string): void {
    const start = this.#begin(Frontend.Password);
    this.#bytesOf(response);
    this.#endLength(start);
  }

  /** Writes a query in the simple protocol. The query can contain several statements. */
  query(text: string): void {
    const start = this.#begin(Frontend.Query);
    this.#text(text);
    this.#endLength(start);
  }

  /**
   * `types` contains the type OIDs of the parameters. The server determines the types of parameters whose OID is 0 or
   * missing.
   */
  parse(name: string, text: string, types: readonly number[] = []): void {
    const start = this.#begin(Frontend.Parse);
    this.#text(name);
    this.#text(text);
    this.#int16(types.length);
    for (const type of types) this.#int32(type);
    this.#endLength(start);
  }

  describeStatement(name: string): void {
    const start = this.#begin(Frontend.Describe);
    this.#byte(0x53);
    this.#text(name);
    this.#endLength(start);
  }

  closeStatement(name: string): void {
    const start = this.#begin(Frontend.Close);
    this.#byte(0x53);
    this.#text(name);
    this.#endLength(start);
  }

  /** Binds parameters to the unnamed portal. All parameters and result columns use the text format. */
  bind(statement: string, parameters: readonly WireParameter[]): void {
    const start = this.#begin(Frontend.Bind);
    this.#byte(0);
    this.#text(statement);
    this.#int16(0);
    this.#int16(parameters.length);
    for (const parameter of parameters) this.#parameter(parameter);
    this.#int16(0);
    this.#endLength(start);
  }

  /** Executes the unnamed portal until it has returned all rows or `maxRows` rows. */
  execute(maxRows = 0): void {
    this.#room(10);
    this.#buffer[this.#length++] = Frontend.Execute;
    this.#int32(9);
    this.#buffer[this.#length++] = 0;
    this.#int32(maxRows);
  }

  sync(): void {
    this.#bare(Frontend.Sync);
  }

  terminate(): void {
    this.#bare(Frontend.Terminate);
  }

  copyDone(): void {
    this.#bare(Frontend.CopyDone);
  }

  copyFail(reason: string): void {
    const start = this.#begin(Frontend.CopyFail);
    this.#text(reason);
    this.#endLength(start);
  }

  copyData(bytes: Uint8Array): void {
    const start = this.#begin(Frontend.CopyData);
    this.#bytesOf(bytes);
    this.#endLength(start);
  }

  #bare(type: number): void {
    this.#room(5);
    this.#buffer[this.#length++] = type;
    this.#int32(4);
  }

  #begin(type: number): number {
    this.#room(5);
    this.#buffer[this.#length++] = type;
    return this.#reserveLength();
  }

  #reserveLength(): number {
    this.#room(4);
    const start = this.#length;
    this.#length += 4;
    return start;
  }

  #endLength(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start, start);
  }

  #parameter(value: WireParameter): void {
    if (value === null) {
      this.#int32(-1);
      return;
    }
    const start = this.#reserveLength();
    this.#bytesOf(value);
    this.#buffer.writeInt32BE(this.#length - start - 4, start);
  }

  #bytesOf(value: string | Uint8Array): void {
    if (typeof value === 'string') {
      // A UTF-16 code unit needs up to three bytes in UTF-8.
      this.#room(value.length * 3);
      this.#length += this.#buffer.write(value, this.#length, 'utf8');
    } else {
      this.#room(value.length);
      this.#buffer.set(value, this.#length);
      this.#length += value.length;
    }
  }

  /**
   * Writes a zero-terminated string. Rejects text with a null byte, because that byte would end the string early and
   * shift all data after it.
   */
  #text(value: string): void {
    if (value.includes('\0')) throw new TypeError('Text for PostgreSQL must not contain a null byte.');
    this.#bytesOf(value);
    this.#byte(0);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#length++] = value;
  }

  #int16(value: number): void {
    if (value > 65_535) throw new RangeError('A statement can have at most 65535 parameters.');
    this.#room(2);
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #int32(value: number): void {
    this.#room(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  /**
   * Removes all data that was written after `length`. Called if a later part of the same statement can't be encoded.
   */
  truncate(length: number): void {
    this.#length = length;
  }
}
