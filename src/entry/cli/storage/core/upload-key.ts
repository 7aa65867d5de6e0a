/** Determines the object key of each uploaded file, following the rules of the command `cp`. */
import { folderKey, type StoragePath } from './storage-url.ts';

/** Whether the target exists, as an object or as a folder. */
export interface TargetState {
  readonly isObject: boolean;
  readonly isFolder: boolean;
}

type Address = Pick<StoragePath, 'bucket' | 'key'>;

/** Returns the target bucket and key of a single file. If the target is a folder, the file keeps its name. */
export function fileTarget(target: StoragePath, fileName: string, state: TargetState): Address {
  const isFolder = target.key === '' || target.isFolder || (state.isFolder && !state.isObject);
  return isFolder ? inside(target, fileName) : { bucket: target.bucket, key: target.key };
}

/**
 * Returns the target bucket and key of a file in an uploaded folder. If the target folder exists, the uploaded folder
 * is created inside the target. Otherwise, the folder is uploaded under the target's name. If no bucket is specified,
 * the folder's name is the bucket name.
 */
export function folderTarget(
  target: StoragePath,
  folder: { readonly name: string; readonly path: string },
  state: TargetState,
): Address {
  if (target.bucket === '') return { bucket: folder.name, key: folder.path };
  return inside(target, state.isFolder ? `${folder.name}/${folder.path}` : folder.path);
}

const inside = ({ bucket, key }: StoragePath, path: string): Address => ({
  bucket,
  key: `${folderKey(key)}${path}`,
});
