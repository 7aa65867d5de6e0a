/**
 * The interface of storage backends. A *version* is the UUID of one stored body. The body never changes after it is
 * written, and exactly one row of storage.objects references it. No client input reaches a backend, so object names
 * can't become paths.
 *
 * An *intent* lists versions that are about to be written or removed. An intent is written before the first byte is
 * written or the row is deleted, and closed after the transaction ends. After a crash, {@link ObjectBackend.recover}
 * settles the remaining intents by checking which versions have a row.
 *
 * An *upload* is an unfinished body that arrives in parts (S3 multipart, TUS). An upload has its own version, which
 * intents and recovery handle like any other version. The *parts* of an upload have IDs, so a repeated part never
 * overwrites the previous one.
 */

import { createHash } from 'node:crypto';
import type { ByteStream } from '../byte-stream.ts';
import type { ByteRange } from '../core/range.ts';

export interface StoredBody {
  readonly sizeBytes: number;
  /** The MD5 in hexadecimal, in quotes. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** A part, with the values that are stored in its row. */
export interface Part {
  /** The part's ID, which is a UUID. */
  readonly id: string;
  readonly sizeBytes: number;
  /** The MD5 in hexadecimal, in quotes. */
  readonly etag: string;
}

export interface OpenBody {
  readonly sizeBytes: number;
  /** Returns all bytes of the body, or a range of them. Callers must call `read` exactly once, or `close`. */
  read(range?: ByteRange): Promise<Buffer | ByteStream>;
  close(): Promise<void>;
}

export interface Intent {
  /**
   * Announces that these versions will be removed if the transaction commits. Must be called before their rows are
   * deleted.
   */
  giveUp(versions: readonly string[]): Promise<void>;
  /**
   * Called after the transaction has ended. Removes the bytes or parts of the versions in `gone`, which don't have a
   * row.
   */
  settle(gone: readonly string[]): Promise<void>;
  /** Called if it is unknown whether the transaction was committed. The next startup settles the intent. */
  leave(): Promise<void>;
}

/** A multipart upload in S3 that becomes the body of a version. */
export interface OpenMultipart {
  readonly version: string;
  /** The ID that S3 generated. */
  readonly uploadId: string;
}

/** A part of a multipart upload in S3. */
export interface MultipartPart extends Part {
  readonly number: number;
  /** The ETag that S3 returned, which isn't the MD5 of the part if the bucket encrypts objects. */
  readonly s3Etag: string;
}

/**
 * Bodies that arrive over several requests, possibly in several processes. A part has at least
 * {@link minMultipartBytes} bytes, except the last part.
 */
export interface MultipartBodies {
  begin(version: string): Promise<string>;
  /** Stores a part and returns S3's ETag. @throws {Error} named NoSuchUpload if the upload has ended */
  put(upload: OpenMultipart, number: number, bytes: Buffer): Promise<string>;
  /**
   * Turns the parts into the version's body. Can be repeated if it is unknown whether a call succeeded. Returns
   * undefined if the parts no longer exist.
   */
  complete(upload: OpenMultipart, parts: readonly MultipartPart[]): Promise<StoredBody | undefined>;
  /** Stores an empty body, because a multipart upload needs at least one part. */
  empty(version: string): Promise<StoredBody>;
  /** Removes the parts. Never throws. */
  abort(upload: OpenMultipart): Promise<void>;
  /**
   * Stores bytes that are too small for a part in a separate object. {@link ObjectBackend.removeParts} removes the
   * object.
   */
  putLoose(upload: string, id: string, bytes: Buffer): Promise<void>;
  readLoose(upload: string, id: string): Promise<Buffer | undefined>;
}

/** S3's minimum size for each part except the last. */
export const minMultipartBytes = 5 * 1024 * 1024;
/** S3's maximum number of parts. */
export const maxMultipartParts = 10_000;

export interface ObjectBackend {
  /** Creates an intent for these versions, after which their bytes can be written. */
  announce(versions: readonly string[]): Promise<Intent>;
  /**
   * Stores a body of up to `maxBytes`, and releases its chunks if the source supports it. When the promise resolves,
   * the bytes are guaranteed to survive a power failure.
   * @throws {BodyTooLargeError}
   */
  write(version: string, body: ByteStream, maxBytes: number): Promise<StoredBody>;
  /**
   * Stores a local file, without copying its bytes if the backend supports that. The file isn't removed and must not be
   * modified afterward.
   */
  storeFile?(version: string, path: string): Promise<StoredBody>;
  copy(fromVersion: string, toVersion: string): Promise<StoredBody | undefined>;
  /**
   * Stores a part of an upload as {@link ObjectBackend.write} stores a body.
   * @throws {BodyTooLargeError}
   */
  writePart(upload: string, partId: string, body: ByteStream, maxBytes: number): Promise<StoredBody>;
  /**
   * Assembles the parts into a body in the given order, durably and atomically. The parts are kept until the upload's
   * row has been removed and its intent is settled. Returns undefined if the bytes of a part are missing.
   */
  assemble(upload: string, parts: readonly Part[], version: string): Promise<StoredBody | undefined>;
  /** Undefined if other processes can't reach the backend's parts, as in the file backend. */
  readonly multipart?: MultipartBodies | undefined;
  /** Removes parts that no row references anymore. */
  removeParts(upload: string, partIds: readonly string[]): Promise<void>;
  /** Opens a version. Returns undefined if the version's bytes don't exist. */
  open(version: string): Promise<OpenBody | undefined>;
  /**
   * Returns a URL from which clients can download a version for a few minutes. The response has these headers, whose
   * names are in lower case. Returns undefined if the backend can't have stored the version.
   */
  downloadUrl?(
    version: string,
    headers: Readonly<Record<string, string | undefined>>,
    nowMs: number,
  ): Promise<string | undefined>;
  /** Settles the intents of processes that have ended. `findLiving` returns the versions that have a row. */
  recover(findLiving: (versions: readonly string[]) => Promise<ReadonlySet<string>>): Promise<RecoveryReport>;
  /** Compares all stored object bodies with all rows. Undefined if the backend doesn't support sweeps. */
  sweep?(options: SweepOptions): Promise<SweepReport>;
  close(): Promise<void>;
}

export interface SweepOptions {
  /** Returns the versions of all objects and unfinished uploads that begin with this hexadecimal digit. */
  livingWith(
    digit: string,
  ): Promise<{ readonly objects: readonly string[]; readonly uploads: readonly string[] }>;
  /** Returns those of the versions that have a row now. */
  findLiving(versions: readonly string[]): Promise<ReadonlySet<string>>;
  /** The current time, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Aborting this signal stops the sweep early. */
  readonly signal: AbortSignal;
}

export interface SweepReport {
  /** The number of object bodies without a row that were moved to the orphans folder. */
  readonly putAside: number;
  /** The number of orphans that were restored because their row reappeared. */
  readonly restored: number;
  /**
   * The number of removed files: expired orphans, and parts and unfinished files that no longer belong to an upload.
   */
  readonly removed: number;
  /** Versions that have a row but no bytes. Clients can list these objects but can't download them. */
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

/**
 * Returns the size and the S3 ETag of a multipart body. The ETag is computed from the MD5s of the parts and the number
 * of parts.
 */
export function describeParts(parts: readonly Part[]): StoredBody {
  const hash = createHash('md5');
  let sizeBytes = 0;
  for (const part of parts) {
    hash.update(Buffer.from(part.etag.replaceAll('"', ''), 'hex'));
    sizeBytes += part.sizeBytes;
  }
  return { sizeBytes, etag: `"${hash.digest('hex')}-${parts.length}"`, lastModified: new Date() };
}
