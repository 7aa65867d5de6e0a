/** Selects the database whose schema a command reads: by a connection, or through the linked server. */
import type { ConnectionOptions } from '../../platform/database/index.ts';
import { readSnapshot, readSnapshotDocument, type Snapshot } from '../../project/diff/index.ts';
import type { DatabaseTarget } from './history-target.ts';
import type { ProjectLocation } from './project-location.ts';
import { withTargetNamed } from './target-database.ts';

/** A database, or the schema that a server has read from its database. */
export type SchemaSource = ConnectionOptions | { readonly snapshot: Snapshot };

export const readSchema = async (source: SchemaSource): Promise<Snapshot> =>
  'snapshot' in source ? source.snapshot : await readSnapshot(source);

export type SchemaTarget = 'local' | { readonly url: string } | { readonly snapshot: Snapshot };

/**
 * Reads the schema if a server is selected. Commands call this first, because creating a temporary database takes much
 * longer than finding out that the server rejects the call.
 *
 * @throws {DiffError} `other_version` if the server runs another version of Plinth
 */
export async function schemaTarget(target: DatabaseTarget): Promise<SchemaTarget> {
  if (target === 'local' || 'url' in target) return target;
  return { snapshot: readSnapshotDocument(await target.server.call('readSchema')) };
}

/** Runs `work` with the selected database. Starts this project's database if Plinth isn't running. */
export async function withSchemaSource<T>(
  location: ProjectLocation,
  target: SchemaTarget,
  work: (source: SchemaSource) => Promise<T>,
  password?: string,
): Promise<T> {
  if (target !== 'local' && 'snapshot' in target) return await work(target);
  return await withTargetNamed(location, target, work, { password });
}
