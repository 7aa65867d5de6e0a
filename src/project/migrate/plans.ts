/** Opens source and target, reads their catalogs, and selects the tables. */
import { type ProjectPlan, planProject } from '../../operations/dump/index.ts';
import { type DefinitionPlan, planDefinitions } from './core/definitions.ts';
import { selectTables, type TableSelection } from './core/tables.ts';
import { openSource, openTarget } from './ends.ts';
import { described, MigrateError } from './errors.ts';
import { readFilled, readPrimaryKeys, readReferences, readTablesWith } from './queries.ts';
import type { End, Plans, TransferOptions } from './types.ts';

/** Opens source and target for the duration of `work`. Aborting the signal ends both sessions. */
export async function withEnds<T>(
  { source, target, signal }: Pick<TransferOptions, 'source' | 'target' | 'signal'>,
  work: (source: End, target: End) => Promise<T>,
): Promise<T> {
  const open: End[] = [];
  const close = (): void => {
    for (const { session } of open) session.destroy();
  };
  signal?.addEventListener('abort', close, { once: true });
  try {
    open.push(await openSource(source));
    open.push(await openTarget(target));
    signal?.throwIfAborted();
    return await work(open[0] as End, open[1] as End);
  } catch (error) {
    const lost = open.find(({ session }) => !session.isOpen());
    if (lost === undefined || error instanceof MigrateError || signal?.aborted) throw described(error);
    throw new MigrateError('connection_lost', { end: lost.name, reason: (error as Error).message }, error);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

export async function readPlans(source: End, target: End): Promise<Plans & { definitions: DefinitionPlan }> {
  const plans = { source: await planProject(source.session), target: await planOf(target) };
  return { ...plans, definitions: planDefinitions(plans.source, plans.target, target.facts) };
}

/** Reads the target's catalogs in one snapshot. */
export async function planOf(end: End): Promise<ProjectPlan> {
  await end.session.exec('begin isolation level repeatable read read only');
  try {
    return await planProject(end.session);
  } finally {
    if (end.session.isOpen()) await end.session.exec('commit');
  }
}

export async function selectionOf(
  source: End,
  target: End,
  from: Pick<ProjectPlan, 'tables'>,
  to: Pick<ProjectPlan, 'tables'>,
  /** Tables that the target's account will own. */
  created: readonly string[] = [],
): Promise<TableSelection> {
  const readable = await readTablesWith(source.session, ['select']);
  const writable = new Set([
    ...(await readTablesWith(target.session, ['select', 'insert', 'delete'])),
    ...created,
  ]);
  const filled = await readFilled(
    source.session,
    from.tables.map(({ table }) => table).filter((table) => readable.has(table)),
  );
  const keys = await readPrimaryKeys(source.session);
  const references = await readReferences(source.session);
  return selectTables(from, to, { keys, filled, readable, writable, references });
}
