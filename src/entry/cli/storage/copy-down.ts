/** Implements `storage cp` from storage to local files. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CommandError, describeError } from '../errors.ts';
import { type StorageApi, StorageResponseError, StorageUnreachableError } from './api.ts';
import { localSegments } from './core/local-name.ts';
import { baseName, folderKey, type StoragePath, shownPath } from './core/storage-url.ts';
import { downloadNew, downloadOver, FolderMaker } from './download.ts';
import { inParallel } from './parallel.ts';
import { createProgress } from './progress.ts';
import { below, type Found } from './walk.ts';

export interface CopyDownOptions {
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
