/** Lists the changes that a migration would make and the items that it can't migrate. Doesn't change anything. */
import { applyDefinitions } from './definitions.ts';
import { notesOf } from './notes.ts';
import { readPlans, selectionOf, withEnds } from './plans.ts';
import type { TransferOptions } from './types.ts';

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
      plans.source,
      future,
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
