/**
 * The file backend's layout: `objects/3f/3f2a…` by version (a folder for a body that came in parts), `partial/3f2a…`
 * while being written, `uploads/3f2a…/PART` for parts of uploads that are under way, `intents/…`, `owners/…` for the processes
 * they belong to, `orphans/3f2a…` for bodies that have lost their row.
 */
import { join } from 'node:path';

const versionPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Rows can be written by SQL with any text as version; only our own UUIDs name files. */
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
    shard: (version) => join(objects, checked(version).slice(0, 2)),
    object: (version) => join(objects, checked(version).slice(0, 2), version),
    partialOf: (version) => join(partial, checked(version)),
    upload: (version) => join(uploads, checked(version)),
    part: (version, id) => join(uploads, checked(version), checked(id)),
    orphan: (version) => join(orphans, checked(version)),
  };
}

function checked(version: string): string {
  if (!isVersion(version)) throw new Error('A version must be a UUID');
  return version;
}
