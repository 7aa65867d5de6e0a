/**
 * Compresses full log files and deletes old ones. A file is complete under its final name before its original is deleted,
 * so no line is lost in a crash.
 */
import { renameSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { blockBytes, compressBlock, indexFrame } from './archive-format.ts';
import { bloomOf } from './bloom.ts';
import { compressedPath, currentPath, formerFiles, freePath, fullFiles, unfinishedFiles } from './files.ts';
import { createPace } from './pace.ts';
import { rawBlocks, summarizeText } from './raw-blocks.ts';
import { isComplete } from './segment.ts';
import type { BlockSummary } from './summary.ts';

export interface ArchiveLimits {
  readonly max_size: number;
  readonly max_age: number;
}

/** Compresses the files that are full, and deletes those that exceed the limits. Stops early if the signal aborts. */
export async function archiveFullFiles(
  dir: string,
  {
    limits,
    now,
    signal,
  }: { readonly limits: () => ArchiveLimits; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  for (const path of unfinishedFiles(dir)) await rm(path, { force: true });
  for (const path of formerFiles(dir)) renameSync(path, freePath(dir, Math.floor(statSync(path).mtimeMs)));
  await deleteOld(dir, limits(), now);
  for (const { path, isCompressed } of fullFiles(dir)) {
    if (isCompressed) continue;
    if (signal.aborted) return;
    await compressFile(path, signal);
  }
  if (!signal.aborted) await deleteOld(dir, limits(), now);
}

/** Compresses a full file. Does nothing if the disk is full, because the original stays readable. */
export async function compressFile(path: string, signal: AbortSignal): Promise<void> {
  const target = compressedPath(path);
  if (await isComplete(target)) {
    await rm(path, { force: true });
    return;
  }
  const temporary = `${target}.tmp`;
  let output: FileHandle | undefined;
  try {
    output = await open(temporary, 'w', 0o600);
    await writeBlocks(path, output, signal);
    // The folder may lose its last changes in a power failure, but never contains a file without its content.
    await output.sync();
    await output.close();
    output = undefined;
    await rename(temporary, target);
    await syncFolder(dirname(path));
    await rm(path, { force: true });
  } catch (error) {
    await output?.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    if (!signal.aborted && !isExpected(error)) throw error;
  }
}

async function writeBlocks(path: string, output: FileHandle, signal: AbortSignal): Promise<void> {
  const pace = createPace();
  const blocks: { summary: BlockSummary; bloom: Buffer }[] = [];
  let offset = 0;
  const input = await open(path, 'r');
  try {
    for await (const { bytes } of rawBlocks(input, 0, (await input.stat()).size, blockBytes)) {
      signal.throwIfAborted();
      const { summary, ids } = await summarizeText(bytes.toString('utf8'), pace);
      const frame = await compressBlock(bytes);
      blocks.push({
        summary: { ...summary, offset, size: frame.length, textBytes: bytes.length },
        bloom: bloomOf(ids),
      });
      await output.write(frame);
      offset += frame.length;
    }
  } finally {
    await input.close();
  }
  await output.write(await indexFrame(blocks, offset));
}

/** Deletes files whose last line is too old, and the oldest files until the limit of the total size is met. */
async function deleteOld(dir: string, { max_size, max_age }: ArchiveLimits, now: number): Promise<void> {
  let bytes = (await sizeOf(currentPath(dir))) ?? 0;
  for (const { path, endedAt } of fullFiles(dir).toReversed()) {
    bytes += (await sizeOf(path)) ?? 0;
    if (bytes > max_size || endedAt < now - max_age) await rm(path, { force: true });
  }
}

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size;

/** Flushes a folder's entries. Not all systems can open a folder. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Errors after which the file is compressed later, or isn't needed anymore. */
const isExpected = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'ENOENT', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
