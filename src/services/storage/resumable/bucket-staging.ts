/**
 * Stores unfinished uploads so that any server process can continue them: their state in the database, and their bytes
 * as the parts of an S3 multipart upload. S3 requires at least 5 MiB per part except the last. Fewer bytes are stored as
 * a separate object, which becomes the beginning of the next part.
 *
 * The upload's row has the offset. Bytes count only after the row has been updated, so after a crash, the offset never
 * exceeds the bytes in the bucket. A writer that has lost its lock can't change the row, because it expects an old
 * offset.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import {
  type MultipartBodies,
  type MultipartPart,
  maxMultipartParts,
  minMultipartBytes,
  type ObjectBackend,
} from '../backend/types.ts';
import { freeChunk } from '../byte-stream.ts';
import { translateDatabaseError } from '../database-errors.ts';
import {
  addPiece,
  deletePieces,
  deleteResumable,
  findPieces,
  findResumable,
  findTail,
  finishResumable,
  giveUpResumable,
  insertResumable,
  keepS3Upload,
  listIdleResumable,
  listResumableWith,
  reservePart,
  type StoredPiece,
  setResumableSize,
  type UploadState,
} from '../queries/resumable.ts';
import type { StatementRunner } from '../queries/statement-runner.ts';
import { TusError } from './errors.ts';
import { receive, type Writer } from './receive.ts';
import type { Staging } from './types.ts';

/** Received bytes are kept in memory until they have this size, so a crash loses at most this many bytes per upload. */
const segmentBytes = 8 * 1024 * 1024;
/** Some part numbers remain unused because each attempt uses a new number. */
const plannedParts = maxMultipartParts * 0.9;

interface Place {
  readonly backend: Pick<ObjectBackend, 'announce' | 'removeParts'>;
  readonly multipart: MultipartBodies;
  readonly db: StatementRunner;
  readonly clock: Clock;
}

export function createBucketStaging(
  backend: Pick<ObjectBackend, 'announce' | 'removeParts'>,
  multipart: MultipartBodies,
  { database, clock }: { readonly database: Pick<Database, 'pool'>; readonly clock: Clock },
): Staging {
  const pool = database.pool('supabase_storage_admin');
  const db: StatementRunner = {
    query: (statement) =>
      pool.query(statement).catch((error: unknown) => {
        throw translateDatabaseError(error);
      }) as never,
  };
  const place: Place = { backend, multipart, db, clock };

  async function remove(id: string): Promise<void> {
    const state = await findResumable(db, id);
    if (!state) return;
    if (!state.isFinished) {
      // If another process finishes the upload at the same time, its object must be kept.
      if (!(await giveUpResumable(db, id, new Date(clock.now())))) return;
      if (state.s3UploadId !== undefined) await multipart.abort({ version: id, uploadId: state.s3UploadId });
      const intent = await backend.announce([id]);
      await intent.settle([id]);
    }
    await deleteResumable(db, id);
  }

  return {
    create: (upload) => insertResumable(db, upload),
    async find(id) {
      const state = await findResumable(db, id);
      return state?.isRemoved ? undefined : state;
    },
    async setSize(upload, sizeBytes) {
      await setResumableSize(db, upload.id, sizeBytes);
      return { ...upload, sizeBytes };
    },
    async offset(id) {
      const state = await findResumable(db, id);
      return state && !state.isFinished ? state.receivedBytes : undefined;
    },
    async append(id, body, { offset, maxBytes, signal }) {
      const state = await findResumable(db, id);
      if (state?.receivedBytes !== offset) throw new TusError('OffsetConflict');
      const writer = createWriter(place, state, await findTail(db, id), maxBytes);
      const end = await receive(body, writer, maxBytes, signal);
      await writer.flush();
      return { offset: writer.position(), end };
    },
    async attempt(upload) {
      return {
        version: upload.id,
        // The parts are lost once S3 has joined them, so a failed attempt must not remove the object.
        newVersions: [],
        store: () => join(place, upload.id, remove),
        async claim(tx) {
          if (!(await finishResumable(tx, upload.id))) throw new TusError('Locked');
        },
      };
    },
    removeBytes: (id) => deletePieces(db, id),
    remove,
    idleSince: (beforeMs) => listIdleResumable(db, new Date(beforeMs)),
    async isIdle(id, beforeMs) {
      return (await listIdleResumable(db, new Date(beforeMs), id)).length > 0;
    },
    inBackend: (digit) => listResumableWith(db, digit),
  };
}

function createWriter(
  place: Place,
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
async function addPart(
  { backend, multipart, db, clock }: Place,
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
  { multipart, db, clock }: Place,
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

/** Joins the parts into the object. If parts no longer exist, the upload can't be completed and is removed. */
async function join(place: Place, id: string, remove: (id: string) => Promise<void>) {
  const { multipart, db } = place;
  const state = await findResumable(db, id);
  if (!state || state.isFinished) throw new TusError('Locked');
  if (state.receivedBytes === 0) return multipart.empty(id);
  const tail = await findTail(db, id);
  // The client can declare the size after it has sent all bytes.
  const { s3UploadId: uploadId = '' } =
    tail.length === 0 ? state : await addPart(place, state, tail, Buffer.alloc(0));
  const parts = (await findPieces(db, id)).map(partOf);
  const stored = await multipart.complete({ version: id, uploadId }, parts);
  if (stored?.sizeBytes === state.receivedBytes) return stored;
  await remove(id);
  throw new TusError('UploadNotFound');
}

const partOf = ({ id, sizeBytes, md5, number = 0, etag = '' }: StoredPiece): MultipartPart => ({
  id,
  sizeBytes,
  etag: `"${md5}"`,
  number,
  s3Etag: etag,
});

const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
