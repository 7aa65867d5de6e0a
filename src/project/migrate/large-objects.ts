/** Migrates large objects with their OIDs, because tables refer to them by OID. */
import { hash } from 'node:crypto';
import { sql } from '../../base/kernel/sql.ts';
import { largeObjectStatements, type ProjectPlan } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { End } from './types.ts';

/** Replaces all large objects if any of them differ. Returns the number of migrated objects. */
export async function migrateLargeObjects(source: End, target: End, plan: ProjectPlan): Promise<number> {
  const wanted = await readHashes(source.session);
  const actual = await readHashes(target.session);
  const changed = [...wanted].filter(([oid, hash]) => actual.get(oid) !== hash);
  const gone = [...actual.keys()].filter((oid) => !wanted.has(oid));
  if (changed.length === 0 && gone.length === 0) return 0;
  await target.session.exec('begin');
  try {
    for (const oid of actual.keys()) await target.session.query(sql`select lo_unlink(${oid}::oid)`);
    for await (const statement of largeObjectStatements(source.session, plan.catalog))
      await target.session.exec(statement);
    await target.session.exec('commit');
  } catch (error) {
    if (target.session.isOpen()) await target.session.exec('rollback');
    throw error;
  }
  return wanted.size;
}

const blockBytes = 256 * 1024;

/** Reads each large object in blocks so that the server never has a whole object in memory. */
export async function readHashes({ query }: CopySession): Promise<ReadonlyMap<number, string>> {
  const objects = await query<{ oid: number }>(sql`select oid from pg_largeobject_metadata order by oid`);
  const hashes = new Map<number, string>();
  for (const { oid } of objects) {
    const blocks: string[] = [];
    for (let isLast = false; !isLast; ) {
      const [block] = await query<{ hash: string; bytes: number }>(sql`
        select encode(sha256(b.content), 'hex') as hash, length(b.content) as bytes
        from (select lo_get(${oid}::oid, ${blocks.length * blockBytes}::int8, ${blockBytes}::int4) as content) b`);
      blocks.push(block?.hash ?? '');
      isLast = (block?.bytes ?? 0) < blockBytes;
    }
    hashes.set(oid, hash('sha256', blocks.join('')));
  }
  return hashes;
}
