/**
 * Opens source and target, reads their catalogs, selects the tables, and lists the changes that a migration would make
 * and the items that it can't migrate.
 */
import { type ProjectPlan, planProject } from '../../operations/dump/index.ts';
import { selectTables, type TableSelection } from './core/tables.ts';
import { applyDefinitions, type DefinitionPlan, planDefinitions } from './definitions.ts';
import { openSource, openTarget } from './ends.ts';
import { described, MigrateError } from './errors.ts';
import { notesOf } from './notes.ts';
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
  plans: { readonly [end in keyof Plans]: Pick<ProjectPlan, 'tables'> },
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
    plans.source.tables.map(({ table }) => table).filter((table) => readable.has(table)),
  );
  const keys = await readPrimaryKeys(source.session);
  const references = await readReferences(source.session);
  return selectTables(plans.source, plans.target, { keys, filled, readable, writable, references });
}

export interface CheckReport {
  /** Definitions that are missing on the target. */
  readonly missing: readonly string[];
  readonly different: readonly string[];
  readonly extra: readonly string[];
  /** Definitions that the migration can't create, with the reasons. */
  readonly failing: readonly string[];
  readonly tables: number;
  readonly notes: readonly string[];
}

/** Compares source and target without changing anything. */
export async function checkTransfer(options: TransferOptions): Promise<CheckReport> {
  return await withEnds(options, async (source, target) => {
    options.onProgress('Reading the catalogs');
    const { definitions, ...plans } = await readPlans(source, target);
    options.onProgress(
      `Creating ${definitions.missing.length} definitions in a transaction that is rolled back`,
    );
    const failing = await applyDefinitions(target, definitions.missing, { keepGoing: true, dryRun: true });
    // Tables that don't exist on the target yet will have the same columns as on the source.
    const there = new Set(plans.target.tables.map(({ table }) => table));
    const created = plans.source.tables.filter(
      ({ table, schema }) => !there.has(table) && schema !== 'auth' && schema !== 'storage',
    );
    const future = { tables: [...plans.target.tables, ...created] };
    const selection = await selectionOf(
      source,
      target,
      { source: plans.source, target: future },
      created.map(({ table }) => table),
    );
    return {
      missing: [...new Set(definitions.missing.map(({ subject }) => subject))],
      different: definitions.different,
      extra: definitions.extra,
      failing: failing.filter(({ isMinor }) => !isMinor).map(({ text }) => text),
      tables: selection.tables.length,
      notes: [...selection.notes, ...(await notesOf(source, target, plans, definitions))],
    };
  });
}
