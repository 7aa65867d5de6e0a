/**
 * The encoding of changes that one process reads from PostgreSQL for all processes of a group. A batch contains pgoutput
 * messages as PostgreSQL sent them, because parsing them is as fast as parsing any other encoding, and a process parses
 * only the rows of tables that its subscribers want.
 *
 * A batch can be read without earlier batches. It describes each of its relations, and if it begins within a
 * transaction, it repeats the beginning of the transaction. A batch consists of the name of its slot's generation,
 * preceded by its length (8 bits), and of entries. An entry consists of a number (32 bits), the length of the message
 * (32 bits) and the message.
 */
import { isRowMessage } from './progress.ts';

const begin = 0x42;
const commit = 0x43;
const relation = 0x52;
const truncate = 0x54;

interface Described {
  readonly message: Buffer;
  /** Changes with each description, so that readers discard what they know about the table. */
  readonly version: number;
}

export interface Batch {
  readonly bytes: Buffer;
  /** The end of the last transaction that this batch completes. */
  readonly endLsn: bigint | undefined;
}

/** Collects the messages of a stream into batches. */
export class BatchBuilder {
  readonly #generation: Buffer;
  readonly #relations = new Map<number, Described>();
  #version: number;
  #parts: Buffer[] = [];
  #size = 0;
  #described = new Set<number>();
  #endLsn: bigint | undefined;
  /** The beginning of the current transaction, and the number of its rows before the next message. */
  #begin: Buffer | undefined;
  #rows = 0;
  /** Whether this batch contains the beginning of the current transaction. */
  #hasBegun = false;

  /** @param version a random number, from which the versions of descriptions are counted */
  constructor(generation: string, version: number) {
    this.#generation = Buffer.from(generation, 'latin1');
    this.#version = version >>> 0;
  }

  get size(): number {
    return this.#size;
  }

  add(message: Buffer): void {
    switch (message[0]) {
      case begin:
        this.#begin = Buffer.from(message);
        this.#rows = 0;
        this.#hasBegun = false;
        return;
      case commit:
        this.#ensureBegun();
        this.#push(0, message);
        this.#endLsn = message.readBigUInt64BE(10);
        this.#begin = undefined;
        return;
      case relation: {
        this.#version = (this.#version + 1) >>> 0;
        const oid = message.readUInt32BE(1);
        this.#relations.set(oid, { message: Buffer.from(message), version: this.#version });
        this.#described.delete(oid);
        return;
      }
      default:
        if (isRowMessage(message)) this.#addRow(message);
    }
  }

  /** Returns the collected messages, or undefined if there are none. */
  take(): Batch | undefined {
    if (this.#parts.length === 0) return undefined;
    const head = Buffer.concat([Buffer.from([this.#generation.length]), this.#generation]);
    const batch = { bytes: Buffer.concat([head, ...this.#parts]), endLsn: this.#endLsn };
    this.#parts = [];
    this.#size = 0;
    this.#described.clear();
    this.#endLsn = undefined;
    this.#hasBegun = false;
    return batch;
  }

  #addRow(message: Buffer): void {
    this.#ensureBegun();
    const oid = message.readUInt32BE(1);
    const known = this.#relations.get(oid);
    if (message[0] !== truncate && known !== undefined && !this.#described.has(oid)) {
      this.#described.add(oid);
      this.#push(known.version, known.message);
    }
    this.#rows++;
    this.#push(0, message);
  }

  #ensureBegun(): void {
    if (this.#hasBegun || this.#begin === undefined) return;
    this.#hasBegun = true;
    this.#push(this.#rows, this.#begin);
  }

  #push(number: number, message: Buffer): void {
    const head = Buffer.allocUnsafe(8);
    head.writeUInt32BE(number, 0);
    head.writeUInt32BE(message.length, 4);
    // The message is copied, because it is part of a large buffer that the socket filled.
    this.#parts.push(head, Buffer.from(message));
    this.#size += 8 + message.length;
  }
}

/** A message of a batch, with its number: a relation's version, or the number of rows before the beginning of a batch. */
export interface BatchEntry {
  readonly message: Buffer;
  readonly number: number;
}

/** @throws {RangeError} if the bytes aren't a valid batch */
export function readBatch(bytes: Buffer): { readonly generation: string; readonly entries: BatchEntry[] } {
  let at = 1 + bytes.readUInt8(0);
  const generation = bytes.toString('latin1', 1, at);
  const entries: BatchEntry[] = [];
  while (at < bytes.length) {
    const number = bytes.readUInt32BE(at);
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (end > bytes.length) throw new RangeError('a batch of changes is cut short');
    entries.push({ number, message: bytes.subarray(at + 8, end) });
    at = end;
  }
  return { generation, entries };
}

export const isRelation = ({ message }: BatchEntry): boolean => message[0] === relation;
