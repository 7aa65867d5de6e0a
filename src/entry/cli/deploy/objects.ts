/**
 * Compares the files in each bucket's `objects_path` with the objects on the server, and uploads those that differ.
 * Other objects are the users', so they are neither listed nor deleted.
 */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type BucketFile, bucketFiles } from '../../../project/folder/index.ts';
import { say } from '../output.ts';
import { createStorageApi, findStorage, type StorageApi } from '../storage/api.ts';
import { inParallel } from '../storage/transfers.ts';
import { uploadFile } from '../storage/upload.ts';
import { findObject } from '../storage/walk.ts';
import { type DeployContext, type Part, withoutChanges } from './part.ts';

const requestsAtOnce = 5;

/** The maximum number of changed files that are listed for a bucket. */
const shownFiles = 20;

/** @param existing the names of the buckets on the server */
export async function planObjects(
  { client, config }: DeployContext,
  existing: ReadonlySet<string>,
): Promise<Part> {
  const notes: string[] = [];
  const files = bucketFiles(config, (warning) => notes.push(warning));
  if (files.length === 0) return withoutChanges(notes);
  const target = await findStorage(client);
  if (target === undefined)
    return withoutChanges([
      ...notes,
      "Not compared, because only an owner's token can upload files: the files in objects_path",
    ]);
  const api = createStorageApi(target);
  const states = new Map<BucketFile, FileState>();
  await inParallel(files, requestsAtOnce, async (file) => {
    states.set(file, existing.has(file.bucket) ? await stateOf(api, file) : 'new');
  });
  const sent = files.filter((file) => states.get(file) !== 'same');
  if (sent.length === 0) return withoutChanges(notes);
  return {
    changes: linesOf(sent, states),
    notes,
    steps: {
      async objects() {
        await inParallel(sent, requestsAtOnce, async ({ bucket, path, key }) => {
          say(`Uploading: ${bucket}/${key}`);
          const upload = { file: path, bucket, key, upsert: true, cacheControl: 'max-age=3600' };
          await uploadFile(api, upload, { onBytes: () => {} });
        });
      },
    },
  };
}

type FileState = 'new' | 'changed' | 'same';

/**
 * Compares a file with its object. The entity tag of an object that was uploaded in parts to an S3 bucket isn't the MD5
 * hash of its content, so such an object is compared only by its size.
 */
async function stateOf(api: StorageApi, { bucket, path, key }: BucketFile): Promise<FileState> {
  const object = await findObject(api, bucket, key);
  if (object === undefined) return 'new';
  if (object.sizeBytes !== statSync(path).size) return 'changed';
  const [, md5] = /^"?([\da-f]{32})"?$/.exec(object.etag ?? '') ?? [];
  return md5 === undefined || md5 === (await md5Of(path)) ? 'same' : 'changed';
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Lists the files, or for a bucket with many files, their number. */
function linesOf(files: readonly BucketFile[], states: ReadonlyMap<BucketFile, FileState>): string[] {
  const signOf = (file: BucketFile): string => (states.get(file) === 'new' ? '+' : '~');
  return [...Map.groupBy(files, ({ bucket }) => bucket)].flatMap(([bucket, group]) => {
    if (group.length <= shownFiles) return group.map((file) => `${signOf(file)} ${bucket}/${file.key}`);
    return ['+', '~'].flatMap((sign) => {
      const { length } = group.filter((file) => signOf(file) === sign);
      return length === 0 ? [] : [`${sign} ${bucket}: ${length} ${length === 1 ? 'file' : 'files'}`];
    });
  });
}
