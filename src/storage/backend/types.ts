/**
 * Where bytes live. A *version* is the UUID of one stored body: never changed once written, named by exactly one row
 * of storage.objects. Nothing a client can choose reaches a backend, so no name can become a path.
 *
 * An *intent* names versions that are about to be written or given up. It is written before the first byte or before
 * the row goes, and closed when the database has decided; what a crash leaves open, {@link ObjectBackend.recover}
 * settles by asking which of its versions have a row.
 *
 * An *upload* is a body under way that comes in parts (S3 multipart, TUS). It has a version of its own, which intents
 * and recovery treat like any other, and its *parts* have ids, so that a part sent again never touches the one before.
 */
import type { ByteRange } from '../core/range.ts';
import type { Pieces } from '../pieces.ts';

export interface StoredBody {
  readonly sizeBytes: number;
  /** Quoted MD5, in hexadecimal. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** A part as its row describes it. */
export interface Part {
  /** A UUID. */
  readonly id: string;
  readonly sizeBytes: number;
  /** Quoted MD5, in hexadecimal. */
  readonly etag: string;
}

export interface OpenBody {
  readonly sizeBytes: number;
  /** The bytes, or those of a range. To be called once, or else `close` must be. */
  read(range?: ByteRange): Promise<Buffer | Pieces>;
  close(): Promise<void>;
}

export interface Intent {
  /** Before the row that names them goes: these versions are given up once the transaction commits. */
  giveUp(versions: readonly string[]): Promise<void>;
  /** The database has decided; `gone` are the versions without a row, whose bytes (or parts) are removed. */
  settle(gone: readonly string[]): Promise<void>;
  /** What the database has decided is not known: the next start asks. */
  leave(): Promise<void>;
}

export interface ObjectBackend {
  /** Announces versions that may be written under this intent. */
  announce(versions: readonly string[]): Promise<Intent>;
  /**
   * Stores a body of at most `maxBytes`, and releases its pieces where it can. When it resolves, the bytes survive a power
   * cut.
   * @throws {BodyTooLargeError}
   */
  write(version: string, body: Pieces, maxBytes: number): Promise<StoredBody>;
  /**
   * Stores a file of this machine without copying its bytes, where the backend can; the file itself stays, and must not
   * be written to again.
   */
  storeFile?(version: string, path: string): Promise<StoredBody>;
  copy(fromVersion: string, toVersion: string): Promise<StoredBody | undefined>;
  /**
   * Stores a part of an upload; as {@link ObjectBackend.write}.
   * @throws {BodyTooLargeError}
   */
  writePart(upload: string, partId: string, body: Pieces, maxBytes: number): Promise<StoredBody>;
  /**
   * Makes a body of these parts, in this order, durably and in one step. The parts stay until the upload is settled as
   * gone. Undefined when the bytes of one are missing.
   */
  assemble(upload: string, parts: readonly Part[], version: string): Promise<StoredBody | undefined>;
  /** Removes parts that no row names any more. */
  removeParts(upload: string, partIds: readonly string[]): Promise<void>;
  /** Undefined when there are no such bytes. */
  open(version: string): Promise<OpenBody | undefined>;
  /** Settles the intents of a process that died; `findLiving` says which versions have a row. */
  recover(findLiving: (versions: readonly string[]) => Promise<ReadonlySet<string>>): Promise<RecoveryReport>;
  /** Compares all that is stored with all rows, where the backend can. */
  sweep?(options: SweepOptions): Promise<SweepReport>;
  close(): Promise<void>;
}

export interface SweepOptions {
  /** The versions of objects, and of uploads under way, whose first hexadecimal digit this is. */
  livingWith(
    digit: string,
  ): Promise<{ readonly objects: readonly string[]; readonly uploads: readonly string[] }>;
  /** Which of these have a row, asked once more. */
  findLiving(versions: readonly string[]): Promise<ReadonlySet<string>>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The sweep ends early when it is aborted. */
  readonly signal: AbortSignal;
}

export interface SweepReport {
  /** Bodies without a row that were put aside. */
  readonly putAside: number;
  /** Bodies that had been put aside and have a row again. */
  readonly restored: number;
  /** Bodies that were put aside long ago, and parts and unfinished files of nobody. */
  readonly removed: number;
  /** Versions with a row and without bytes: what a client would be told and not given. */
  readonly missing: readonly string[];
}

export interface RecoveryReport {
  readonly settledIntents: number;
  readonly removedVersions: number;
}

export class BodyTooLargeError extends Error {
  constructor() {
    super('The body is larger than allowed');
    this.name = 'BodyTooLargeError';
  }
}
