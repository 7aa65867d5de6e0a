/**
 * Storage backends. A *version* is the UUID of one stored body: it never changes after it is written, and exactly one
 * row of storage.objects references it. No client input reaches a backend, so object names can't become paths.
 *
 * An *intent* lists versions that are about to be written or removed. It is written before the first byte is written or
 * the row is deleted, and closed after the transaction ends. {@link ObjectBackend.recover} settles intents left by a
 * crash by checking which versions have a row.
 *
 * An *upload* is an unfinished body that arrives in parts (S3 multipart, TUS). It has its own version, which intents
 * and recovery treat like any other. Its *parts* have ids, so a repeated part never overwrites the previous one.
 */
import type { ByteRange } from '../core/range.ts';
import type { Pieces } from '../pieces.ts';

export interface StoredBody {
  readonly sizeBytes: number;
  /** Quoted MD5 in hexadecimal. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** A part, as described by its row. */
export interface Part {
  /** A UUID. */
  readonly id: string;
  readonly sizeBytes: number;
  /** Quoted MD5 in hexadecimal. */
  readonly etag: string;
}

export interface OpenBody {
  readonly sizeBytes: number;
  /** Returns the bytes, or a range of them. Callers must call either `read` once or `close`. */
  read(range?: ByteRange): Promise<Buffer | Pieces>;
  close(): Promise<void>;
}

export interface Intent {
  /**
   * Declares that these versions will be removed if the transaction commits. Must be called before their row is
   * deleted.
   */
  giveUp(versions: readonly string[]): Promise<void>;
  /** Called after the transaction ends. `gone`: versions without a row, whose bytes or parts are removed. */
  settle(gone: readonly string[]): Promise<void>;
  /** Called when the outcome of the transaction is unknown. The next startup settles the intent. */
  leave(): Promise<void>;
}

export interface ObjectBackend {
  /** Declares versions that can be written under this intent. */
  announce(versions: readonly string[]): Promise<Intent>;
  /**
   * Stores a body of at most `maxBytes` and releases its pieces where possible. When it resolves, the bytes survive a
   * power failure.
   * @throws {BodyTooLargeError}
   */
  write(version: string, body: Pieces, maxBytes: number): Promise<StoredBody>;
  /**
   * Stores a local file without copying its bytes if the backend supports it. The file is kept and must not be modified
   * afterward.
   */
  storeFile?(version: string, path: string): Promise<StoredBody>;
  copy(fromVersion: string, toVersion: string): Promise<StoredBody | undefined>;
  /**
   * Stores a part of an upload. See {@link ObjectBackend.write}.
   * @throws {BodyTooLargeError}
   */
  writePart(upload: string, partId: string, body: Pieces, maxBytes: number): Promise<StoredBody>;
  /**
   * Assembles the parts in this order into a body, durably and atomically. The parts are kept until the upload is
   * settled as gone. Returns undefined if the bytes of a part are missing.
   */
  assemble(upload: string, parts: readonly Part[], version: string): Promise<StoredBody | undefined>;
  /** Removes parts that no row references anymore. */
  removeParts(upload: string, partIds: readonly string[]): Promise<void>;
  /** Returns undefined if the bytes don't exist. */
  open(version: string): Promise<OpenBody | undefined>;
  /** Settles the intents of dead processes. `findLiving`: returns the versions that have a row. */
  recover(findLiving: (versions: readonly string[]) => Promise<ReadonlySet<string>>): Promise<RecoveryReport>;
  /** Compares all stored bodies with all rows, if the backend supports it. */
  sweep?(options: SweepOptions): Promise<SweepReport>;
  close(): Promise<void>;
}

export interface SweepOptions {
  /** Returns the versions of objects and unfinished uploads that begin with this hexadecimal digit. */
  livingWith(
    digit: string,
  ): Promise<{ readonly objects: readonly string[]; readonly uploads: readonly string[] }>;
  /** Checks again which of these versions have a row. */
  findLiving(versions: readonly string[]): Promise<ReadonlySet<string>>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Stops the sweep early. */
  readonly signal: AbortSignal;
}

export interface SweepReport {
  /** Bodies without a row that were moved to the orphans. */
  readonly putAside: number;
  /** Orphans restored because their row reappeared. */
  readonly restored: number;
  /** Expired orphans, and parts and unfinished files without an owner. */
  readonly removed: number;
  /** Versions with a row but without bytes. Clients see these objects but can't download them. */
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
