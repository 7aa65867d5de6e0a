/** The storage for backups: a folder or an S3 bucket. Names are relative paths with `/`. */

export interface StoredFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface Target {
  /** The folder or URL, without credentials. */
  readonly label: string;
  /** Stores a file durably and atomically. Readers never see an incomplete file under this name. */
  write(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns undefined if the file doesn't exist. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Lists the files whose name begins with `prefix`, which ends with `/` or is the beginning of a file name. */
  list(prefix: string): AsyncIterable<StoredFile>;
  /** Succeeds if the file doesn't exist. */
  remove(name: string): Promise<void>;
  /** Removes incomplete files of interrupted writes whose last change was before this time. */
  removeUnfinished(beforeMs: number): Promise<void>;
  close(): void;
}
