/**
 * Migrates what isn't stored in tables: the positions of sequences, and large objects with their OIDs, because tables
 * refer to them by OID.
 */

import { hash } from 'node:crypto';
import { quoteLiteral, sql } from '../../base/kernel/sql.ts';
import { largeObjectStatements, type ProjectPlan, readSequenceValue } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { End } from './types.ts';

/** Sets the sequences whose values differ, and returns their number. */
export async function migrateSequences(
  source: End,
  target: End,
  { source: from, target: to }: { readonly source: ProjectPlan; readonly target: ProjectPlan },
): Promise<{ readonly changed: number; readonly notes: readonly string[] }> {
  const there = new Set(to.sequences.map(({ sequence }) => sequence));
  const notes: string[] = [];
  let changed = 0;
  for (const { sequence } of from.sequences) {
    if (!there.has(sequence)) continue;
    if (!(await mayUse(source, sequence, 'select'))) {
      notes.push(`Sequence ${sequence}: the source's account can't read it.`);
      continue;
    }
    if (!(await mayUse(target, sequence, 'update'))) {
      notes.push(`Sequence ${sequence}: the target's account can't set it.`);
      continue;
    }
    const [wanted, actual] = [
      await readSequenceValue(source.session, sequence),
      await readSequenceValue(target.session, sequence),
    ];
    if (wanted.lastValue === actual.lastValue && wanted.isCalled === actual.isCalled) continue;
    await target.session.query(
      sql`select setval(${sequence}::regclass, ${wanted.lastValue}::int8, ${wanted.isCalled}::bool)`,
    );
    changed += 1;
  }
  return { changed, notes };
}

async function mayUse(end: End, sequence: string, privilege: string): Promise<boolean> {
  const [row] = await end.session.query<{ may: boolean }>(
    sql.raw(`select has_sequence_privilege(${quoteLiteral(sequence)}, ${quoteLiteral(privilege)}) as may`),
  );
  return row?.may === true;
}

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
