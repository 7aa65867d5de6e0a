/**
 * Opens the log files for a query. The indexes of compressed files are cached. Files that aren't compressed yet are
 * indexed in memory, and the index of the current file is extended before each query.
 */
import { type FileHandle, open } from 'node:fs/promises';
import {
  blockBytes,
  decompressBlock,
  type IndexedBlock,
  indexSizeOf,
  parseIndex,
  trailerBytes,
} from './archive-format.ts';
import { mayContain } from './bloom.ts';
import { currentPath, fullFiles } from './files.ts';
import { createPace } from './pace.ts';
import { rawBlocks, readAt, summarizeText } from './raw-blocks.ts';
import type { BlockSummary } from './summary.ts';

export interface Block extends BlockSummary {
  /** The position among all blocks, oldest first. */
  readonly order: number;
  /** Returns the lines. A block whose file was deleted or is damaged has no lines. */
  text(): Promise<string>;
  mayContainId(id: string): Promise<boolean>;
}

export interface OpenLog {
  /** The blocks, oldest first. */
  readonly blocks: readonly Block[];
  close(): Promise<void>;
}

export interface LogFiles {
  open(): Promise<OpenLog>;
}

type UnorderedBlock = Omit<Block, 'order'>;

/** The number of files whose index is cached. An index needs about 30 KiB. */
const maxCached = 1000;
/** After this time without a query, the indexes are discarded. */
const cacheMs = 5 * 60_000;

export function createLogFiles(dir: string): LogFiles {
  const archives = new Map<string, readonly IndexedBlock[]>();
  const raw = new Map<number, RawIndex>();
  let expiry: NodeJS.Timeout | undefined;

  const forget = (): void => {
    archives.clear();
    raw.clear();
  };

  async function archiveBlocks(path: string): Promise<UnorderedBlock[]> {
    const known = archives.get(path) ?? (await readIndex(path)) ?? [];
    archives.delete(path);
    archives.set(path, known);
    const [oldest] = archives.keys();
    if (archives.size > maxCached && oldest !== undefined) archives.delete(oldest);
    let blooms: Promise<Buffer> | undefined;
    const first = known[0]?.bloomOffset ?? 0;
    return known.map((block) => ({
      ...block,
      text: () => textOf(path, block),
      async mayContainId(id) {
        // The filters of all blocks of a file are adjacent, and a query needs most of them.
        blooms ??= bloomsOf(path, known);
        const begin = block.bloomOffset - first;
        return mayContain((await blooms).subarray(begin, begin + block.bloomSize), id);
      },
    }));
  }

  async function fileBlocks(handle: FileHandle): Promise<UnorderedBlock[]> {
    const { ino } = await handle.stat();
    const index = raw.get(ino) ?? new RawIndex();
    raw.set(ino, index);
    const blocks = await index.extended(handle);
    return blocks.map((block) => ({
      ...block,
      text: async () => (await readAt(handle, block.offset, block.size)).toString('utf8'),
      mayContainId: async (id) => block.ids.has(id),
    }));
  }

  return {
    async open() {
      clearTimeout(expiry);
      expiry = setTimeout(forget, cacheMs).unref();
      const handles: FileHandle[] = [];
      const close = async (): Promise<void> => {
        for (const handle of handles) await handle.close();
      };
      try {
        const blocks = await allBlocks(dir, { handles, archiveBlocks, fileBlocks });
        const used = new Set(await Promise.all(handles.map(async (handle) => (await handle.stat()).ino)));
        for (const ino of raw.keys()) if (!used.has(ino)) raw.delete(ino);
        return { blocks: blocks.map((block, order) => Object.assign(block, { order })), close };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

async function allBlocks(
  dir: string,
  {
    handles,
    archiveBlocks,
    fileBlocks,
  }: {
    readonly handles: FileHandle[];
    readonly archiveBlocks: (path: string) => Promise<UnorderedBlock[]>;
    readonly fileBlocks: (handle: FileHandle) => Promise<UnorderedBlock[]>;
  },
): Promise<UnorderedBlock[]> {
  // The current file is opened first, because it may be renamed while the others are listed.
  const current = await openIfExists(currentPath(dir));
  if (current !== undefined) handles.push(current);
  const currentInode = (await current?.stat())?.ino;
  const found: UnorderedBlock[] = [];
  const done = new Set<number>();
  // A file may be replaced by its compressed form while it's opened, so the files are listed again.
  for (let isComplete = false; !isComplete; ) {
    isComplete = true;
    const files = fullFiles(dir);
    const compressed = new Set(files.filter((file) => file.isCompressed).map(({ endedAt }) => endedAt));
    for (const { path, endedAt, isCompressed } of files) {
      if (done.has(endedAt) || (!isCompressed && compressed.has(endedAt))) continue;
      if (isCompressed) {
        found.push(...(await archiveBlocks(path)));
      } else {
        const handle = await openIfExists(path);
        if (handle === undefined) {
          isComplete = false;
          continue;
        }
        handles.push(handle);
        if ((await handle.stat()).ino !== currentInode) found.push(...(await fileBlocks(handle)));
      }
      done.add(endedAt);
    }
  }
  if (current !== undefined) found.push(...(await fileBlocks(current)));
  return found;
}

type RawSummary = BlockSummary & { readonly ids: ReadonlySet<string> };

/** The index of a file that isn't compressed. */
class RawIndex {
  #blocks: RawSummary[] = [];
  #running: Promise<unknown> = Promise.resolve();

  /** Indexes the lines that were added since the last call, and returns all blocks. */
  extended(handle: FileHandle): Promise<readonly RawSummary[]> {
    const next = this.#running.then(() => this.#extend(handle));
    this.#running = next.catch(() => undefined);
    return next;
  }

  async #extend(handle: FileHandle): Promise<readonly RawSummary[]> {
    const pace = createPace();
    const { size } = await handle.stat();
    const blocks = [...this.#blocks];
    const last = blocks.at(-1);
    const end = last === undefined ? 0 : last.offset + last.size;
    if (end === size) return blocks;
    // The last block is indexed again, because lines were added to it.
    const isOpen = last !== undefined && last.size < blockBytes;
    if (isOpen) blocks.pop();
    for await (const { offset, bytes } of rawBlocks(handle, isOpen ? last.offset : end, size, blockBytes)) {
      // The last line may not be written completely.
      const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
      if (whole.length === 0) continue;
      const { summary, ids } = await summarizeText(whole.toString('utf8'), pace);
      blocks.push({ ...summary, ids, offset, size: whole.length, textBytes: whole.length });
    }
    this.#blocks = blocks;
    return blocks;
  }
}

/** Whether a compressed file was written completely. */
export const isComplete = async (path: string): Promise<boolean> => (await readIndex(path)) !== undefined;

/** Returns undefined if the file doesn't exist, isn't complete or is damaged. */
async function readIndex(path: string): Promise<readonly IndexedBlock[] | undefined> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    const trailer = await readAt(file, Math.max(0, size - trailerBytes), trailerBytes);
    const indexSize = indexSizeOf(trailer);
    if (indexSize === undefined || indexSize > size) return undefined;
    return parseIndex(await readAt(file, size - trailerBytes - indexSize, indexSize));
  });
}

const textOf = async (path: string, { offset, size }: IndexedBlock): Promise<string> =>
  (await withFile(path, async (file) =>
    (await decompressBlock(await readAt(file, offset, size))).toString(),
  )) ?? '';

const bloomsOf = async (path: string, blocks: readonly IndexedBlock[]): Promise<Buffer> => {
  const size = blocks.reduce((sum, { bloomSize }) => sum + bloomSize, 0);
  return (await withFile(path, (file) => readAt(file, blocks[0]?.bloomOffset ?? 0, size))) ?? Buffer.alloc(0);
};

/** Reads from a file. Returns undefined if the file was deleted or is damaged. */
async function withFile<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await openIfExists(path);
  if (file === undefined) return undefined;
  try {
    return await read(file);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
