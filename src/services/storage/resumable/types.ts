/** The interface of the stores for unfinished resumable uploads. */
import type { Readable } from 'node:stream';
import type { Transaction } from '../../../platform/database/types.ts';
import type { StoredBody } from '../backend/types.ts';
import type { TusMetadata } from '../core/tus.ts';

/** The metadata of an upload, which is stored when the upload begins. */
export interface StagedUpload {
  /** The upload's ID, which is a UUID. The name of a file doesn't contain any other data of the upload. */
  readonly id: string;
  readonly bucketId: string;
  readonly key: string;
  /** The total size. Undefined until the client sends the size (`Upload-Defer-Length`). */
  readonly sizeBytes?: number;
  readonly metadata: TusMetadata;
  /**
   * Identifies the creator of the upload by role and subject, or by the signed link's owner. Only the creator can
   * resume the upload.
   */
  readonly beganBy: string;
  readonly upsert: boolean;
  /** The time at which the upload was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** The version of the object in the last attempt to store it. */
  readonly storedAs?: string;
}

export interface Staging {
  create(upload: StagedUpload): Promise<void>;
  find(id: string): Promise<StagedUpload | undefined>;
  /** Stores the total size of an upload that was created without one. */
  setSize(upload: StagedUpload, sizeBytes: number): Promise<StagedUpload>;
  /** Returns the number of received bytes. Returns undefined if the bytes have been moved to an object. */
  offset(id: string): Promise<number | undefined>;
  /**
   * Appends bytes until the body ends, `maxBytes` bytes have been received or the signal is aborted. Received bytes are
   * kept and synced. Returns the new offset and the reason why appending ended.
   */
  append(id: string, body: Readable, limits: AppendLimits): Promise<Appended>;
  /** Begins an attempt to store the object, after all bytes have been received. */
  attempt(upload: StagedUpload): Promise<Attempt>;
  /**
   * Removes the received bytes but keeps the metadata. A client that didn't receive the last response can therefore
   * still query the upload.
   */
  removeBytes(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Returns the uploads that haven't changed since a time, including finished ones. */
  idleSince(beforeMs: number): Promise<string[]>;
  isIdle(id: string, beforeMs: number): Promise<boolean>;
  /** Returns the unfinished uploads with bytes in the backend whose ID begins with a hexadecimal digit. */
  inBackend(digit: string): Promise<string[]>;
}

/** An attempt to store an object. */
export interface Attempt {
  readonly version: string;
  /** The versions whose bytes are removed if the attempt fails. */
  readonly newVersions: readonly string[];
  /** @throws {TusError} UploadNotFound if the received bytes no longer exist */
  store(): Promise<StoredBody>;
  /**
   * Marks the upload as finished in the transaction that writes the object's row.
   * @throws {TusError} Locked if another process has finished or removed the upload
   */
  claim?(tx: Transaction): Promise<void>;
}

export interface AppendLimits {
  readonly offset: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Appended {
  readonly offset: number;
  readonly end: 'complete' | 'too large' | 'stopped' | 'broken';
}
