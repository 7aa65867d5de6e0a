/**
 * Defines the file backend's paths.
 *
 * - `objects/3f/3f2a…`: bodies by version (a folder for a multipart body)
 * - `partial/3f2a…`: bodies that are being written
 * - `uploads/3f2a…/PART`: parts of unfinished uploads
 * - `intents/…`: intents
 * - `owners/…`: the processes that own intents
 * - `orphans/3f2a…`: bodies for which the database has no row
 */
import { join } from 'node:path';

const versionPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether the text is a UUID. A user can store any text as a version through SQL, but only UUIDs are used as file
 * names.
 */
export function isVersion(text: string): boolean {
  return versionPattern.test(text);
}

export interface FilePaths {
  readonly objects: string;
  readonly partial: string;
  readonly intents: string;
  readonly uploads: string;
  readonly owners: string;
  readonly orphans: string;
  shard(version: string): string;
  object(version: string): string;
  partialOf(version: string): string;
  upload(version: string): string;
  part(version: string, id: string): string;
  orphan(version: string): string;
}

export function filePaths(root: string): FilePaths {
  const objects = join(root, 'objects');
  const partial = join(root, 'partial');
  const uploads = join(root, 'uploads');
  const orphans = join(root, 'orphans');
  return {
    objects,
    partial,
    intents: join(root, 'intents'),
    uploads,
    owners: join(root, 'owners'),
    orphans,
    shard: (version) => join(objects, checkedVersion(version).slice(0, 2)),
    object: (version) => join(objects, checkedVersion(version).slice(0, 2), version),
    partialOf: (version) => join(partial, checkedVersion(version)),
    upload: (version) => join(uploads, checkedVersion(version)),
    part: (version, id) => join(uploads, checkedVersion(version), checkedVersion(id)),
    orphan: (version) => join(orphans, checkedVersion(version)),
  };
}

/** Returns the version, or throws if the version can't be used in a path. */
export function checkedVersion(version: string): string {
  if (!isVersion(version)) throw new Error('A version must be a UUID');
  return version;
}
