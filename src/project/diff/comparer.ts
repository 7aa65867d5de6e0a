/**
 * Compares schemas of several databases by name. The work takes seconds of CPU time for large schemas, so a server runs
 * it in another process (`server/backend/schema-comparer.ts`).
 */
import { parseConnectionString } from '../../platform/database/index.ts';
import { compareSnapshots } from './core/compare.ts';
import { type ComparedSchemas, type ObjectDifference, objectDifferences } from './core/objects.ts';
import { diffScript } from './core/script.ts';
import { readSnapshot } from './snapshot.ts';
import type { Snapshot } from './types.ts';

export interface SchemaComparer {
  /** Reads the schema of the database with this URL and keeps it under this name. */
  read(name: string, url: string): Promise<void>;
  /** Returns the statements that turn one schema into the other, or an empty string. @throws {DiffError} */
  script(from: string, to: string): Promise<string>;
  /**
   * Returns the differences between `from` and `to` by object. `base` is the schema of a project without migrations.
   * @throws {DiffError}
   */
  objects(
    schemas: { readonly base: string; readonly from: string; readonly to: string },
    files: ComparedSchemas['files'],
  ): Promise<ObjectDifference[]>;
}

export function createSchemaComparer(): SchemaComparer {
  const snapshots = new Map<string, Snapshot>();
  const get = (name: string): Snapshot => {
    const snapshot = snapshots.get(name);
    if (snapshot === undefined) throw new Error(`The schema ${name} hasn't been read`);
    return snapshot;
  };
  const compare = (from: string, to: string) => compareSnapshots(get(from), get(to));
  return {
    async read(name, url) {
      snapshots.set(name, await readSnapshot({ ...parseConnectionString(url), applicationName: 'plinth' }));
    },
    script: async (from, to) => diffScript(compare(from, to)),
    objects: async ({ base, from, to }, files) =>
      objectDifferences({
        first: compare(base, from),
        second: compare(base, to),
        forward: compare(from, to),
        backward: compare(to, from),
        files,
      }),
  };
}
