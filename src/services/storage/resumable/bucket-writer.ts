/**
 * Writes received bytes to the bucket, as parts of a multipart upload or as separate objects, and records them in the
 * database.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/kernel/clock.ts';
import {
  type MultipartBodies,
  maxMultipartParts,
  minMultipartBytes,
  type ObjectBackend,
} from '../backend/types.ts';
import { freeChunk } from '../byte-stream.ts';
import {
  addPiece,
  keepS3Upload,
  reservePart,
  type StoredPiece,
  type UploadState,
} from '../queries/resumable.ts';
import type { StatementRunner } from '../queries/statement-runner.ts';
import { TusError } from './errors.ts';
import type { Writer } from './receive.ts';

/** Received bytes are kept in memory until they have this size, so a crash loses at most this many bytes per upload. */
const segmentBytes = 8 * 1024 * 1024;
/** Some part numbers remain unused because each attempt uses a new number. */
const plannedParts = maxMultipartParts * 0.9;

export interface BucketPlace {
  readonly backend: Pick<ObjectBackend, 'announce' | 'removeParts'>;
  readonly multipart: MultipartBodies;
  readonly db: StatementRunner;
  readonly clock: Clock;
}

export function createBucketWriter(
  place: BucketPlace,
  begun: UploadState,
  found: readonly StoredPiece[],
  maxBytes: number,
): Writer {
  const total = begun.sizeBytes ?? begun.receivedBytes + maxBytes;
  const minPartBytes = Math.max(minMultipartBytes, Math.ceil(total / plannedParts));
  const flushBytes = Math.max(segmentBytes, minPartBytes);
  let upload = begun;
  let tail = found;
  let chunks: Uint8Array[] = [];
  let waitingBytes = 0;
  // Flushes run one after another, because the body can end while a segment is being stored.
  let flushed = Promise.resolve();
  const store = async (): Promise<void> => {
    if (waitingBytes === 0) return;
    const bytes = Buffer.concat(chunks, waitingBytes);
    for (const chunk of chunks) freeChunk(chunk);
    chunks = [];
    waitingBytes = 0;
    const tailBytes = tail.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const end = upload.receivedBytes + bytes.byteLength;
    if (end === upload.sizeBytes || tailBytes + bytes.byteLength >= minPartBytes) {
      upload = await addPart(place, upload, tail, bytes);
      tail = [];
    } else {
      const piece = await addLoose(place, upload, bytes);
      upload = { ...upload, receivedBytes: end };
      tail = [...tail, piece];
    }
  };
  const flush = (): Promise<void> => {
    flushed = flushed.then(store);
    return flushed;
  };
  return {
    position: () => upload.receivedBytes + waitingBytes,
    add(chunk) {
      chunks.push(chunk);
      waitingBytes += chunk.byteLength;
      return waitingBytes >= flushBytes ? flush() : undefined;
    },
    flush,
  };
}

/** Stores the tail and `bytes` as the next part. */
export async function addPart(
  { backend, multipart, db, clock }: BucketPlace,
  upload: UploadState,
  tail: readonly StoredPiece[],
  bytes: Buffer,
): Promise<UploadState> {
  const { id, receivedBytes } = upload;
  const begun = await Promise.all(tail.map((piece) => multipart.readLoose(id, piece.id)));
  if (begun.includes(undefined)) throw new TusError('UploadNotFound');
  const part = tail.length === 0 ? bytes : Buffer.concat([...(begun as Buffer[]), bytes]);
  const uploadId = upload.s3UploadId ?? (await beginMultipart(multipart, db, id));
  const number = await reservePart(db, id, receivedBytes);
  if (number === undefined) throw new TusError('Locked');
  const etag = await multipart.put({ version: id, uploadId }, number, part).catch((error: unknown) => {
    // A lifecycle rule of the bucket can end the upload.
    if (error instanceof Error && error.name === 'NoSuchUpload') throw new TusError('UploadNotFound');
    throw error;
  });
  const end = receivedBytes + bytes.byteLength;
  const piece: StoredPiece = {
    id: randomUUID(),
    position: end - part.byteLength,
    sizeBytes: part.byteLength,
    number,
    etag,
    md5: md5Of(part),
  };
  const now = new Date(clock.now());
  if (!(await addPiece(db, { id, from: receivedBytes, to: end, piece, replacesTail: true, now })))
    throw new TusError('Locked');
  await backend.removeParts(
    id,
    tail.map((loose) => loose.id),
  );
  return { ...upload, s3UploadId: uploadId, receivedBytes: end };
}

async function beginMultipart(multipart: MultipartBodies, db: StatementRunner, id: string): Promise<string> {
  const own = await multipart.begin(id);
  const kept = await keepS3Upload(db, id, own);
  if (kept !== own) await multipart.abort({ version: id, uploadId: own });
  if (kept === undefined) throw new TusError('Locked');
  return kept;
}

/** Stores bytes that are too small for a part. */
async function addLoose(
  { multipart, db, clock }: BucketPlace,
  upload: UploadState,
  bytes: Buffer,
): Promise<StoredPiece> {
  const { id, receivedBytes: from } = upload;
  const piece: StoredPiece = {
    id: randomUUID(),
    position: from,
    sizeBytes: bytes.byteLength,
    number: undefined,
    etag: undefined,
    md5: md5Of(bytes),
  };
  await multipart.putLoose(id, piece.id, bytes);
  const growth = { id, from, to: from + bytes.byteLength, piece, replacesTail: false };
  if (!(await addPiece(db, { ...growth, now: new Date(clock.now()) }))) throw new TusError('Locked');
  return piece;
}

const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
