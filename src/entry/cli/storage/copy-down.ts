/** Implements `storage cp` from storage to local files. These files are always inside the target folder. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, lstatSync, mkdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { CommandError, describeError } from '../errors.ts';
import { objectPath, type StorageApi, StorageResponseError, StorageUnreachableError } from './api.ts';
import { baseName, folderKey, localSegments, type StoragePath, shownPath } from './core/storage-path.ts';
import { createProgress, inParallel } from './transfers.ts';
import { below, type Found } from './walk.ts';

interface CopyDownOptions {
  readonly api: StorageApi;
  readonly remote: StoragePath;
  readonly isRecursive: boolean;
  readonly jobs: number;
  readonly signal: AbortSignal;
}

/** Downloads objects. @throws {CommandError} */
export async function copyDown(target: string, options: CopyDownOptions): Promise<void> {
  const { remote, isRecursive } = options;
  if (isRecursive) return await downloadAll(target, options);
  if (remote.key === '' || remote.isFolder)
    throw new CommandError(`${shownPath(remote)} is a folder.`, 'To download a folder, use --recursive.');
  await downloadOne(isDirectory(target) ? join(target, ownName(remote)) : target, options);
}

async function downloadOne(file: string, { api, remote, signal }: CopyDownOptions): Promise<void> {
  const progress = createProgress('Downloaded');
  try {
    await downloadNew(api, remote, file, { onBytes: progress.add, signal });
  } finally {
    progress.end();
  }
}

async function downloadAll(target: string, options: CopyDownOptions): Promise<void> {
  const { api, remote, jobs, signal } = options;
  const root = resolve(
    isDirectory(target) && baseName(remote) !== '' ? join(target, ownName(remote)) : target,
  );
  const folders = new FolderMaker(root);
  const progress = createProgress('Downloaded');
  const failures: string[] = [];
  let count = 0;
  try {
    await inParallel(below(api, remote), jobs, async (found) => {
      count += 1;
      const path = pathBelow(remote, found);
      const segments = path === '' ? [] : localSegments(path, process.platform);
      if (segments === undefined) {
        failures.push(`${shownPath(found)}: the name can't be a file name on this machine`);
        return;
      }
      const file = join(root, ...segments);
      progress.line(`Downloading: ${shownPath(found)} => ${file}`);
      progress.expect(found.sizeBytes ?? 0);
      try {
        if (found.key === '' || found.key.endsWith('/')) folders.make(segments);
        else {
          if (segments.length > 0) folders.make(segments.slice(0, -1));
          else mkdirSync(dirname(root), { recursive: true });
          await downloadOver(api, found, file, { onBytes: progress.add, signal });
        }
      } catch (error) {
        if (signal.aborted || isFatal(error)) throw error;
        failures.push(`${shownPath(found)}: ${describeError(error).message}`);
      }
    });
  } finally {
    progress.end();
  }
  if (count === 0) throw new CommandError(`Object not found: ${shownPath(remote)}`);
  if (failures.length > 0)
    throw new CommandError(`${failures.length} of ${count} objects weren't downloaded:`, ...failures);
}

/** Returns the part of an object's path after the source path. The result is empty for the source itself. */
function pathBelow({ bucket, key }: StoragePath, found: Found): string {
  if (bucket === '') return `${found.bucket}/${found.key}`;
  return found.key === key ? '' : found.key.slice(folderKey(key).length);
}

/** Whether the copies of the other objects would also fail with this error. */
const isFatal = (error: unknown): boolean =>
  error instanceof StorageUnreachableError ||
  (error instanceof StorageResponseError && !error.isMissing) ||
  (error as NodeJS.ErrnoException).code === 'ENOSPC';

function ownName(remote: StoragePath): string {
  const name = baseName(remote);
  if (localSegments(name, process.platform) !== undefined) return name;
  throw new CommandError(`${name} can't be a file name on this machine.`);
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

interface DownloadOptions {
  readonly onBytes: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

type Address = { readonly bucket: string; readonly key: string };

/**
 * Downloads an object to a file that must not exist yet. If the download fails, removes the incomplete file.
 * @throws {CommandError}
 */
async function downloadNew(
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
async function downloadOver(
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
class FolderMaker {
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
