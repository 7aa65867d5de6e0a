/**
 * Implements the S3 backend's sweep, which compares the bucket with the rows in both directions. The rules are the same
 * as in the file backend's sweep (`file-sweep.ts`). Moving an orphan copies the object, so the orphan's age is measured
 * from the time of the move.
 */
import { isVersion } from './file-paths.ts';
import { orphanLifetimeMs, sweepGraceMs } from './file-sweep.ts';
import { type Bucket, removeKeys } from './s3-bucket.ts';
import type { SweepOptions, SweepReport } from './types.ts';

const digits = '0123456789abcdef';

export async function sweepS3(bucket: Bucket, options: SweepOptions): Promise<SweepReport> {
  const { nowMs, signal } = options;
  let putAside = 0;
  let restored = 0;
  let removed = 0;
  const missing: string[] = [];
  for (const digit of digits) {
    if (signal.aborted) break;
    // The rows are read before the objects are listed. Any object that is stored after the rows were read is therefore
    // recent enough to be skipped.
    const living = await options.livingWith(digit);
    const objects = new Set(living.objects);
    const found = new Set<string>();
    for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('objects', digit))) {
      const version = key.slice(bucket.folder('objects').length);
      found.add(version);
      if (!isVersion(version) || objects.has(version) || lastModifiedMs > nowMs - sweepGraceMs) continue;
      if (await move(bucket, key, bucket.orphan(version))) putAside += 1;
    }
    for (const version of objects) {
      if (found.has(version) || !isVersion(version)) continue;
      if (await move(bucket, bucket.orphan(version), bucket.object(version))) restored += 1;
      else missing.push(version);
    }
    const open = new Set(living.uploads);
    for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('uploads', digit))) {
      const upload = key.slice(bucket.folder('uploads').length).split('/', 1)[0] ?? '';
      if (open.has(upload) || lastModifiedMs > nowMs - sweepGraceMs) continue;
      await removeKeys(bucket, [key]);
      removed += 1;
    }
  }
  for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('orphans'))) {
    if (lastModifiedMs > nowMs - orphanLifetimeMs) continue;
    await removeKeys(bucket, [key]);
    removed += 1;
  }
  // Versions that were removed or replaced after the rows were read aren't reported as missing.
  const stillLiving = missing.length === 0 ? new Set() : await options.findLiving(missing);
  return { putAside, restored, removed, missing: missing.filter((version) => stillLiving.has(version)) };
}

/** Moves an object within the bucket. Returns false if the source doesn't exist. */
async function move(bucket: Bucket, from: string, to: string): Promise<boolean> {
  if (!(await bucket.copy(from, to))) return false;
  await removeKeys(bucket, [from]);
  return true;
}
