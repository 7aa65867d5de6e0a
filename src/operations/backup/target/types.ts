/**
 * The storage interface for backups, with an implementation for folders and one for S3 buckets. File names are relative
 * paths that use `/` as the separator.
 */

export interface StoredFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface Target {
  /** The path of the folder or the URL of the bucket, without credentials. */
  readonly label: string;
  /** Stores a file durably and atomically. Readers never get an incomplete file. */
  write(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Like `write`, but doesn't replace an existing file. Returns whether the file was stored. Of two simultaneous calls
   * for the same name, only one stores its file, except on S3 servers without conditional writes.
   */
  create(name: string, bytes: Buffer): Promise<boolean>;
  /** Returns the file's content, or undefined if the file doesn't exist. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Lists the files whose names begin with `prefix`. The prefix is a folder that ends with `/`, or the beginning of a
   * file name.
   */
  list(prefix: string): AsyncIterable<StoredFile>;
  /** Removes a file. Also succeeds if the file doesn't exist. */
  remove(name: string): Promise<void>;
  /** Removes the incomplete files of interrupted writes that were last changed before this time. */
  removeUnfinished(beforeMs: number): Promise<void>;
  close(): void;
}
