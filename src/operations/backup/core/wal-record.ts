/**
 * Parses the parts of the WAL format that show whether a record is complete (PostgreSQL 18, access/xlogrecord.h and
 * xlog_internal.h).
 */
import { segmentStart } from './lsn.ts';

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
