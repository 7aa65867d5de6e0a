/** Downloads objects to files. These files are always inside the target folder. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, lstatSync, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { CommandError } from '../errors.ts';
import { objectPath, type StorageApi } from './api.ts';

export interface DownloadOptions {
  readonly onBytes: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

type Address = { readonly bucket: string; readonly key: string };

/**
 * Downloads an object to a file that must not exist yet. If the download fails, removes the incomplete file.
 * @throws {CommandError}
 */
export async function downloadNew(
  api: StorageApi,
  address: Address,
  file: string,
  options: DownloadOptions,
): Promise<void> {
  const body = await bodyOf(api, address, options);
  let isOpen = false;
  // With the flag `wx`, opening the file neither replaces an existing file nor follows a symbolic link.
  const output = createWriteStream(file, { flags: 'wx' }).once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline(body, counting(options.onBytes), output, { signal: options.signal });
  } catch (error) {
    if (isOpen) await rm(file, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(`${file} already exists.`, 'Remove it, or use another name.');
    throw error;
  }
}

/**
 * Downloads an object to a file that may already exist. First writes the bytes to a temporary file, so that the target
 * file is always complete, and so that a symbolic link is replaced instead of followed.
 */
export async function downloadOver(
  api: StorageApi,
  address: Address,
  file: string,
  options: DownloadOptions,
): Promise<void> {
  const partial = join(dirname(file), `.plinth-${randomBytes(6).toString('hex')}.part`);
  const body = await bodyOf(api, address, options);
  try {
    await pipeline(body, counting(options.onBytes), createWriteStream(partial, { flags: 'wx' }), {
      signal: options.signal,
    });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function bodyOf(
  api: StorageApi,
  { bucket, key }: Address,
  { signal }: DownloadOptions,
): Promise<Readable> {
  const { body } = await api.request('GET', `/object/authenticated/${objectPath(bucket, key)}`, { signal });
  return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream);
}

const counting = (onBytes: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.byteLength);
      done(null, chunk);
    },
  });

/** Creates folders under a root without following symbolic links. */
export class FolderMaker {
  readonly #root: string;
  readonly #made = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Creates a folder and returns its path. @throws {CommandError} if a path segment is a file or a symbolic link */
  make(segments: readonly string[]): string {
    let path = this.#root;
    if (!this.#made.has(path)) mkdirSync(path, { recursive: true });
    this.#made.add(path);
    for (const segment of segments) {
      path = join(path, segment);
      if (this.#made.has(path)) continue;
      makeFolder(path);
      this.#made.add(path);
    }
    return path;
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = lstatSync(path);
    if (found.isSymbolicLink()) throw new CommandError(`${path} is a symbolic link, which isn't followed.`);
    if (!found.isDirectory()) throw new CommandError(`${path} is a file, so it can't become a folder.`);
  }
}
