/**
 * Stores unfinished uploads so that any server process can continue them: their state in the database, and their bytes
 * as the parts of an S3 multipart upload. S3 requires at least 5 MiB per part except the last. Fewer bytes are stored as
 * a separate object, which becomes the beginning of the next part.
 *
 * The upload's row has the offset. Bytes count only after the row has been updated, so after a crash, the offset never
 * exceeds the bytes in the bucket. A writer that has lost its lock can't change the row, because it expects an old
 * offset.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { MultipartBodies, MultipartPart, ObjectBackend } from '../backend/types.ts';
import { translateDatabaseError } from '../database-errors.ts';
import {
  deletePieces,
  deleteResumable,
  findPieces,
  findResumable,
  findTail,
  finishResumable,
  giveUpResumable,
  insertResumable,
  listIdleResumable,
  listResumableWith,
  type StoredPiece,
  setResumableSize,
} from '../queries/resumable.ts';
import type { StatementRunner } from '../queries/statement-runner.ts';
import { addPart, type BucketPlace, createBucketWriter } from './bucket-writer.ts';
import { TusError } from './errors.ts';
import { receive } from './receive.ts';
import type { Staging } from './types.ts';

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
  const place: BucketPlace = { backend, multipart, db, clock };

  async function remove(id: string): Promise<void> {
    const state = await findResumable(db, id);
    if (!state) return;
    if (!state.isFinished) {
      // If another process finishes the upload at the same time, its object must be kept.
      const given = await giveUpResumable(db, id, new Date(clock.now()));
      if (!given) return;
      if (given.s3UploadId !== undefined) await multipart.abort({ version: id, uploadId: given.s3UploadId });
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
      const writer = createBucketWriter(place, state, await findTail(db, id), maxBytes);
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

/** Joins the parts into the object. If parts no longer exist, the upload can't be completed and is removed. */
async function join(place: BucketPlace, id: string, remove: (id: string) => Promise<void>) {
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
