import { quoteLiteral, sql } from '../../base/kernel/sql.ts';
import { type ProjectPlan, readSequenceValue } from '../../operations/dump/index.ts';
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
