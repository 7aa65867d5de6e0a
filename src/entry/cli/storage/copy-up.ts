/** Implements `storage cp` from local files to storage. */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { filesBelow } from '../../../base/shared/files.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { bucketSettings } from '../../../project/folder/index.ts';
import { CommandError } from '../errors.ts';
import type { StorageApi } from './api.ts';
import {
  fileTarget,
  folderTarget,
  type StoragePath,
  shownPath,
  type TargetState,
} from './core/storage-path.ts';
import { createProgress, inParallel } from './transfers.ts';
import { uploadFile } from './upload.ts';
import { findObject } from './walk.ts';

export interface CopyUpOptions {
  readonly api: StorageApi;
  readonly remote: StoragePath;
  readonly projectDir: string;
  readonly isRecursive: boolean;
  readonly jobs: number;
  readonly cacheControl: string;
  readonly contentType: string | undefined;
  readonly signal: AbortSignal;
}

interface Planned {
  readonly file: string;
  readonly sizeBytes: number;
  readonly bucket: string;
  readonly key: string;
}

/** Uploads files. @throws {CommandError} */
export async function copyUp(source: string, options: CopyUpOptions): Promise<void> {
  const { api, remote, isRecursive, jobs, cacheControl, contentType, signal } = options;
  const planned = isRecursive ? await planAll(source, options) : [planFile(source, remote)];
  if (isRecursive) await createMissingBuckets(planned, options);
  const progress = createProgress('Uploaded');
  for (const { sizeBytes } of planned) progress.expect(sizeBytes);
  try {
    await inParallel(planned, jobs, async ({ file, bucket, key }) => {
      progress.line(`Uploading: ${file} => ${shownPath({ bucket, key })}`);
      const upload = { file, bucket, key, upsert: isRecursive, cacheControl, contentType };
      await uploadFile(api, upload, { onBytes: progress.add, signal });
    });
  } finally {
    progress.end();
  }
}

function planFile(source: string, remote: StoragePath): Planned {
  const { size } = statOf(source);
  const target = fileTarget(remote, basename(resolve(source)), { isObject: false, isFolder: false });
  if (target.bucket === '') throw new CommandError('A bucket is required, as in ss:///bucket/key.');
  return { file: source, sizeBytes: size, ...target };
}

async function planAll(source: string, { api, remote }: CopyUpOptions): Promise<Planned[]> {
  const isFile = statOf(source).isFile();
  const name = basename(resolve(source));
  const files = isFile ? [source] : filesBelow(source);
  if (files.length === 0) throw new CommandError(`The folder ${source} contains no files.`);
  if (isFile && remote.bucket === '') throw new CommandError('A bucket is required, as in ss:///bucket/key.');
  const state = await stateOf(api, remote);
  return files.map((file) => {
    const path = relative(source, file).replaceAll('\\', '/');
    const target = isFile ? fileTarget(remote, name, state) : folderTarget(remote, { name, path }, state);
    return { file, sizeBytes: lstatSync(file).size, ...target };
  });
}

async function stateOf(api: StorageApi, { bucket, key }: StoragePath): Promise<TargetState> {
  const exists = bucket !== '' && (await api.listBuckets()).includes(bucket);
  const trimmed = key.replace(/\/+$/, '');
  if (!exists || trimmed === '') return { isObject: false, isFolder: exists };
  const isObject = (await findObject(api, bucket, trimmed)) !== undefined;
  for await (const page of api.list(bucket, `${trimmed}/`, { isDeep: true, limit: 1 }))
    return { isObject, isFolder: page.length > 0 };
  return { isObject, isFolder: false };
}

async function createMissingBuckets(
  planned: readonly Planned[],
  { api, projectDir }: CopyUpOptions,
): Promise<void> {
  const existing = new Set(await api.listBuckets());
  const missing = new Set(planned.map(({ bucket }) => bucket).filter((bucket) => !existing.has(bucket)));
  if (missing.size === 0) return;
  const { config } = loadConfig({ projectDir });
  for (const bucket of missing) await api.createBucket(bucket, bucketSettings(config, bucket) ?? {});
}

function statOf(path: string): Stats {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`${path} doesn't exist.`);
  return found;
}
