/**
 * Detects that recovery ended too early, although the archive contains later WAL. For this, parses the parts of the WAL
 * format that show whether a record is complete (PostgreSQL 18, access/xlogrecord.h and xlog_internal.h).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatLsn, parseLsn, segmentEnd, segmentName, segmentStart } from '../core/lsn.ts';
import { BackupError } from '../errors.ts';
import type { FindArchived } from './wal-requests.ts';

interface ExpectedEnd {
  /** PostgreSQL's data folder. */
  readonly postgres: string;
  /** The timeline that was recovered. */
  readonly timeline: number;
  /** The end of the archived WAL. */
  readonly end: bigint;
  readonly find: FindArchived;
}

/**
 * Checks that recovery replayed all archived WAL. PostgreSQL sends WAL as soon as it is flushed, so the archive can end
 * with an incomplete record, which PostgreSQL doesn't replay.
 * @throws {BackupError} wal_gap, recovery_failed
 */
export async function checkRecoveryEnd(expected: ExpectedEnd): Promise<void> {
  const reached = recoveryEnd(expected.postgres, expected.timeline);
  if (reached === undefined) throw new BackupError('recovery_failed', "It didn't start a new timeline.");
  if (reached >= expected.end) return;
  if (hasCompleteRecord(await archived(expected, reached), reached))
    throw new BackupError(
      'wal_gap',
      `PostgreSQL stopped at ${formatLsn(reached)}, but the backup contains WAL up to ${formatLsn(expected.end)}.`,
    );
}

/**
 * Returns the position at which recovery ended. The history file of the new timeline contains the position at which the
 * previous timeline ended.
 */
function recoveryEnd(postgres: string, timeline: number): bigint | undefined {
  const folder = join(postgres, 'pg_wal');
  const newest = readdirSync(folder)
    .filter((name) => /^[0-9A-F]{8}\.history$/.test(name))
    .sort()
    .at(-1);
  if (newest === undefined) return undefined;
  const lines = readFileSync(join(folder, newest), 'latin1').matchAll(
    /^(\d+)\t([0-9A-F]+\/[0-9A-F]+)(?:\t|$)/gm,
  );
  const left = [...lines].find(([, number]) => Number(number) === timeline);
  return left === undefined ? undefined : parseLsn(left[2] as string);
}

/** Returns the WAL between `from` and the end of the following segment, or the end of the archive. */
async function archived({ timeline, end, find }: ExpectedEnd, from: bigint): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const start of [segmentStart(from), segmentEnd(from)]) {
    const content = start < end ? await find(segmentName(timeline, start)) : undefined;
    if (content === undefined) break;
    const last = end < segmentEnd(start) ? end : segmentEnd(start);
    parts.push(content.subarray(from > start ? Number(from - start) : 0, Number(last - start)));
  }
  return Buffer.concat(parts);
}

const pageBytes = 8192;
const page = BigInt(pageBytes);
/** The header sizes of a regular page and of a segment's first page. */
const headerBytes = 24;
const firstHeaderBytes = 40;
/** The size of a record's header. The length at the start of a record includes this header. */
const minRecordBytes = 24;

const headerAt = (lsn: bigint): number => (segmentStart(lsn) === lsn ? firstHeaderBytes : headerBytes);

/**
 * Whether a complete record begins at `from`. `content` is the WAL that begins at `from`, which is the end of the
 * previous record.
 */
export function hasCompleteRecord(content: Buffer, from: bigint): boolean {
  const start = from % page === 0n ? headerAt(from) : 0;
  if (content.length < start + 4) return false;
  const recordBytes = content.readUInt32LE(start);
  if (recordBytes < minRecordBytes) return false;
  let available = content.length - start;
  const end = from + BigInt(content.length);
  for (let next = (from / page + 1n) * page; next < end; next += page)
    available -= Math.min(headerAt(next), Number(end - next));
  return available >= recordBytes;
}
