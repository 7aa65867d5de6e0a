/**
 * The repository as the source of a restore: the files that PostgreSQL requests during recovery (WAL segments and
 * history files), reads that can be aborted, and a hold that prevents a running server from pruning files.
 */
import { readWalCatalog, type WalCatalog } from '../catalog.ts';
import { segmentRanges } from '../core/coverage.ts';
import { parseSegmentName, segmentBytes, segmentEnd } from '../core/lsn.ts';
import { historyName, holdName } from '../core/names.ts';
import { BackupError } from '../errors.ts';
import type { Repository } from '../repository.ts';
import type { FindArchived } from './wal-requests.ts';

interface ArchivedFilesOptions {
  readonly repository: Repository;
  readonly wal: WalCatalog;
  /** The base backup's timeline and end. The base backup itself contains the WAL up to this end. */
  readonly timeline: number;
  readonly backupEnd: bigint;
  /** The timelines that are in use but have no history file. */
  readonly knownTimelines: readonly number[];
}

export function archivedFiles(options: ArchivedFilesOptions): FindArchived {
  const { repository, wal, timeline, backupEnd, knownTimelines } = options;
  let own = wal.ranges.filter((range) => range.timeline === timeline);
  let ahead: { readonly start: bigint; readonly content: Promise<Buffer | undefined> } | undefined;

  async function history(number: number): Promise<Buffer | undefined> {
    if (wal.histories.includes(number)) return await repository.readBytes(historyName(number));
    // To find an unused timeline number, PostgreSQL only checks whether the history file exists.
    return knownTimelines.includes(number) && number !== timeline ? Buffer.alloc(0) : undefined;
  }

  /**
   * Returns a segment. An unfinished segment is padded with zeros, which PostgreSQL recognizes as the end of the WAL.
   */
  async function segment(start: bigint, attempts = 3): Promise<Buffer | undefined> {
    const ranges = segmentRanges(own, start);
    const end = ranges.at(-1)?.end;
    // If an unfinished segment in the archive ends before the base backup ends, the base backup's copy of the segment
    // contains more WAL.
    if (end === undefined || (end < segmentEnd(start) && end <= backupEnd)) return undefined;
    const content = Buffer.alloc(segmentBytes);
    for (const range of ranges) {
      const bytes = await repository.readBytes(range.name);
      if (bytes === undefined && attempts > 0) {
        // A running server has replaced this chunk after the catalog was read.
        own = (await readWalCatalog(repository)).ranges.filter((one) => one.timeline === timeline);
        return await segment(start, attempts - 1);
      }
      if (bytes?.length !== Number(range.end - range.start))
        throw new BackupError('damaged', `(${range.name})`);
      const skipped = range.start < start ? Number(start - range.start) : 0;
      bytes.copy(content, skipped > 0 ? 0 : Number(range.start - start), skipped);
    }
    return content;
  }

  return async (name) => {
    const number = /^([0-9A-F]{8})\.history$/.exec(name)?.[1];
    if (number !== undefined) return await history(Number.parseInt(number, 16));
    const wanted = parseSegmentName(name);
    if (wanted?.timeline !== timeline) return undefined;
    const { start } = wanted;
    const content = ahead?.start === start ? ahead.content : segment(start);
    // Prefetches the next segment, because PostgreSQL requests the segments in sequence.
    const next = segmentEnd(start);
    ahead = { start: next, content: segment(next) };
    ahead.content.catch(() => undefined);
    return await content;
  };
}

/** Wraps a repository so that the reads from it are aborted if the user interrupts the command. */
export function abortable(repository: Repository, signal: AbortSignal | undefined): Repository {
  if (signal === undefined) return repository;
  async function* until(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      yield chunk;
    }
  }
  return {
    ...repository,
    async read(name) {
      signal.throwIfAborted();
      const bytes = await repository.read(name);
      return bytes && until(bytes);
    },
    async readBytes(name) {
      signal.throwIfAborted();
      return await repository.readBytes(name);
    },
  };
}

/** Creates a hold. If the credentials don't permit writing to the target, the restore continues without a hold. */
export async function hold(
  repository: Pick<Repository, 'writeBytes' | 'remove'>,
  backupId: string,
  nowMs: number,
): Promise<() => Promise<void>> {
  const name = holdName(nowMs, backupId);
  try {
    await repository.writeBytes(name, Buffer.alloc(0));
  } catch {
    return async () => undefined;
  }
  return () => repository.remove(name).catch(() => undefined);
}
