/** Uploads object bodies, each version only once. */

import type { Logger } from '../../base/kernel/log.ts';
import type { Database } from '../../platform/database/types.ts';
import { bodyFolder, bodyName, isVersion, versionOfBody } from './core/names.ts';
import { listVersions } from './queries.ts';
import type { Repository } from './repository.ts';
import type { BodyStore } from './types.ts';

const concurrentUploads = 8;

export interface Bodies {
  /** Uploads the object bodies that the target doesn't have. Skips versions whose bytes no longer exist. */
  upload(versions: Iterable<string>): Promise<void>;
  /** Uploads the missing object bodies of all rows. */
  uploadAll(database: Database): Promise<void>;
  /** Whether the target contains the object body. */
  has(version: string): boolean;
  forget(version: string): void;
}

export async function openBodies(repository: Repository, store: BodyStore, log: Logger): Promise<Bodies> {
  const uploaded = new Set<string>();
  for await (const { name } of repository.list(bodyFolder)) {
    const version = versionOfBody(name);
    if (version !== undefined) uploaded.add(version);
  }

  async function uploadOne(version: string): Promise<void> {
    const bytes = await store.read(version);
    // The bytes don't exist if the client's upload was rejected, or if storage has lost the bytes.
    if (bytes === undefined) return;
    await repository.write(bodyName(version), bytes, { compress: false });
    uploaded.add(version);
  }

  const bodies: Bodies = {
    async upload(versions) {
      const missing = new Set(
        [...versions].filter((version) => isVersion(version) && !uploaded.has(version)),
      );
      const queue = missing.values();
      const work = async (): Promise<void> => {
        for (const version of queue) await uploadOne(version);
      };
      await Promise.all(Array.from({ length: concurrentUploads }, work));
    },
    async uploadAll(database) {
      const versions = await listVersions(database);
      await bodies.upload(versions);
      const lost = versions.filter((version) => isVersion(version) && !uploaded.has(version)).length;
      if (lost > 0)
        log.warn({ lost }, 'backup: objects have a row but no bytes, so they are not in the backup');
    },
    has: (version) => uploaded.has(version),
    forget: (version) => void uploaded.delete(version),
  };
  return bodies;
}
