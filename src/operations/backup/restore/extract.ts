/**
 * Extracts tar archives into a new folder. Extracts only regular files and folders, only to paths inside the folder,
 * and never overwrites an existing file.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Extract, Header } from 'tar-stream';
import { type FirstCause, firstCause } from '../../../base/shared/errors.ts';
import { BackupError } from '../errors.ts';

interface ExtractedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

interface ExtractOptions {
  readonly onFile?: (file: ExtractedFile) => void;
  /** Returns the path inside the folder, or undefined to skip the entry. */
  readonly rename?: (name: string) => string | undefined;
}

const writers = 4;
const batchBytes = 256 * 1024;

/** Extracts an archive. @throws {BackupError} damaged */
export async function extract(
  archive: AsyncIterable<Uint8Array>,
  root: string,
  { onFile = () => undefined, rename = (name) => name }: ExtractOptions = {},
): Promise<void> {
  const made = new Set<string>();
  const makeFolder = async (path: string): Promise<void> => {
    if (made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    made.add(path);
  };
  const handles: FileHandle[] = [];
  // Loaded only when needed, because every server loads this module.
  const { extract: extractTar } = await import('tar-stream');
  const tar = extractTar();
  const cause = firstCause();
  const fed = feed(tar, cause.watch(archive), cause);
  try {
    for await (const entry of tar) {
      const { header } = entry;
      const name = rename(header.name);
      const path = name === undefined ? undefined : join(root, ...checkedPath(name));
      if (path === undefined || header.type === 'directory') {
        if (path !== undefined) await makeFolder(path);
        entry.resume();
        continue;
      }
      rejectSpecial(header);
      await makeFolder(dirname(path));
      const handle = await open(path, 'wx', 0o600);
      handles.push(handle);
      onFile({ name: header.name, ...(await writeEntry(handle, entry as AsyncIterable<Uint8Array>)) });
      if (handles.length > writers) await finish(handles.shift());
    }
    await fed;
  } catch (error) {
    // If an entry is read only after the extractor was destroyed, the entry reports a different error.
    throw cause.of(error);
  } finally {
    await Promise.all(handles.splice(0).map(finish));
  }
}

/** Passes the archive to the extractor. Never rejects, because errors are passed to the code that reads the entries. */
async function feed(tar: Extract, archive: AsyncIterable<Uint8Array>, cause: FirstCause): Promise<void> {
  let isClosed = false;
  let wake = (): void => undefined;
  tar.on('drain', () => wake());
  // The extractor's own errors, such as an invalid header, also reach the reader of an entry too late.
  tar.on('error', (error) => cause.note(error));
  tar.on('close', () => {
    isClosed = true;
    wake();
  });
  try {
    for await (const chunk of archive) {
      if (isClosed) return;
      if (tar.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isClosed) resolve();
      });
    }
    tar.end(undefined);
  } catch (error) {
    tar.destroy(error as Error);
  }
}

function checkedPath(name: string): readonly string[] {
  try {
    return archivePath(name);
  } catch (cause) {
    throw new BackupError('damaged', (cause as Error).message, cause);
  }
}

/**
 * Rejects links and special files. PostgreSQL's folder contains links only for tablespaces, which backups don't
 * support.
 */
function rejectSpecial({ type, name }: Header): void {
  if (type !== 'file' && type !== 'contiguous-file')
    throw new BackupError('damaged', `The archive contains a ${type}: ${JSON.stringify(name)}`);
}

async function writeEntry(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array>,
): Promise<Pick<ExtractedFile, 'sizeBytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let batch: Uint8Array[] = [];
  let size = 0;
  let sizeBytes = 0;
  const flush = async (): Promise<void> => {
    if (size > 0) await handle.writeFile(Buffer.concat(batch, size));
    batch = [];
    size = 0;
  };
  for await (const chunk of content) {
    hash.update(chunk);
    batch.push(chunk);
    size += chunk.length;
    sizeBytes += chunk.length;
    if (size >= batchBytes) await flush();
  }
  await flush();
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function finish(handle: FileHandle | undefined): Promise<void> {
  await handle?.close();
}

/**
 * Splits a relative path into its segments.
 * @throws {Error} if the path is absolute or could lead out of the folder into which the archive is extracted
 */
export function archivePath(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isSafe = !name.startsWith('/') && !/[\\\0:]/.test(name) && !parts.includes('..') && parts.length > 0;
  if (!isSafe) throw new Error(`The archive contains an unsafe name: ${JSON.stringify(name)}`);
  return parts;
}
