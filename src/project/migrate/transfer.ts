/**
 * Migrates a whole project, step by step. Every step compares source and target first, so a new run resumes where an
 * earlier run stopped.
 */
import type { ProjectPlan } from '../../operations/dump/index.ts';
import type { SharedTable } from './core/row-text.ts';
import { type JobsReport, migrateJobs } from './cron.ts';
import { applyDefinitions, type DefinitionPlan, isLate } from './definitions.ts';
import { MigrateError } from './errors.ts';
import { prepareHistory } from './history.ts';
import { markTarget, rejectForeignRows } from './marker.ts';
import { notesOf } from './notes.ts';
import { migrateObjects } from './objects/transfer.ts';
import { planOf, readPlans, selectionOf, withEnds } from './plans.ts';
import { readAlwaysTriggers } from './queries.ts';
import { migrateQueues } from './queues.ts';
import { migrateRows } from './rows.ts';
import { migrateLargeObjects, migrateSequences } from './sequences.ts';
import type { End, Plans, Report, TableReport, TransferOptions } from './types.ts';
import { migrateSecrets } from './vault.ts';

/** Migrates the project and returns a report. @throws {MigrateError} */
export async function transfer(options: TransferOptions): Promise<Report> {
  return await withEnds(options, (source, target) => migrateAll(source, target, options));
}

async function migrateAll(source: End, target: End, options: TransferOptions): Promise<Report> {
  const { onProgress, signal } = options;
  onProgress('Reading the catalogs');
  const { definitions, ...plans } = await readPlans(source, target);
  const isMarked = await rejectForeignRows(source, target, plans, options.overwrite);
  if (definitions.different.length > 0 && !options.keepGoing)
    throw new MigrateError('definition_differs', { subjects: listed(definitions.different) });
  if (isMarked && !target.facts.canReplicate) throw new MigrateError('no_replica_role', { end: target.name });
  const notes = await notesOf(source, target, plans, definitions);
  await markTarget(source, target);
  const isNow = (late: boolean) => (each: DefinitionPlan['missing'][number]) =>
    target.facts.canReplicate ? !late : isLate(each) === late;
  if (definitions.missing.length > 0) onProgress(`Creating ${definitions.missing.length} definitions`);
  const early = definitions.missing.filter(isNow(false));
  const skipped = await applyDefinitions(target, early, options);
  const after = await planOf(target);
  const tables = await migrateTables(source, target, { source: plans.source, target: after }, options);
  notes.push(...tables.notes);
  const late = definitions.missing.filter(isNow(true));
  skipped.push(...(await applyDefinitions(target, late, options)));
  notes.push(...skipped.map(({ text }) => `Not created: ${text}`));
  const largeObjects = await migrateLargeObjects(source, target, plans.source);
  const sequences = await migrateSequences(source, target, { source: plans.source, target: after });
  onProgress('Queues, vault secrets and cron jobs');
  const queues = await migrateQueues(source, target, signal);
  const secrets = await migrateSecrets(source, target);
  notes.push(...secrets.remarks);
  const objects = await objectsStep(source, target, { source: plans.source, target: after }, options);
  const all = await removeBuckets(source, target, tables, options);
  if (
    all.some(({ added, changed, deleted }) => added + changed + deleted > 0) ||
    objects.report !== undefined
  )
    await refresh(target, plans.source.refreshes, notes);
  signal?.throwIfAborted();
  const jobs: JobsReport = await migrateJobs(source, target, options.startJobs);
  const failures = [...sequences.notes, ...queues.notes, ...secrets.notes, ...jobs.notes, ...objects.notes];
  return {
    complete:
      failures.length === 0 && definitions.different.length === 0 && skipped.every(({ isMinor }) => isMinor),
    definitions: definitions.missing.length,
    tables: [...all, ...queues.tables],
    sequences: sequences.changed,
    largeObjects,
    secrets,
    jobs,
    objects: objects.report,
    functions: [],
    notes: [...notes, ...failures],
  };
}

const listed = (subjects: readonly string[]): string =>
  subjects.slice(0, 10).join(', ') + (subjects.length > 10 ? ` and ${subjects.length - 10} more` : '');

interface BroughtTables {
  readonly reports: readonly TableReport[];
  readonly buckets: SharedTable | undefined;
  readonly notes: readonly string[];
}

async function migrateTables(
  source: End,
  target: End,
  plans: Plans,
  options: TransferOptions,
): Promise<BroughtTables> {
  const selection = await selectionOf(source, target, plans);
  const notes = [...selection.notes];
  const history = await prepareHistory(source, target);
  const all: readonly SharedTable[] = [...selection.tables, ...(history === undefined ? [] : [history])];
  const triggers = await readAlwaysTriggers(source.session);
  if (triggers.length > 0) notes.push(`Triggers that also fire for copied rows: ${listed(triggers)}.`);
  const reports: TableReport[] = [];
  for (const [index, table] of all.entries()) {
    options.signal?.throwIfAborted();
    const label = `${table.table} (${index + 1} of ${all.length})`;
    options.onProgress(`Comparing ${label}`);
    const onRows = throttled((rows) =>
      options.onProgress(`Copying ${label}: ${rows.toLocaleString('en-US')} rows`),
    );
    try {
      reports.push(
        await migrateRows(source, target, table, {
          onRows,
          keepDeleted: table.table === buckets,
          signal: options.signal,
        }),
      );
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!source.session.isOpen() || !target.session.isOpen()) throw error;
      throw new MigrateError('table_failed', { table: table.table, reason: (error as Error).message }, error);
    }
  }
  return { reports, buckets: all.find(({ table }) => table === buckets), notes };
}

/** Buckets are deleted after their objects, because the storage API needs a bucket's row to delete its objects. */
const buckets = 'storage.buckets';

async function removeBuckets(
  source: End,
  target: End,
  { reports, buckets: table }: BroughtTables,
  { signal }: TransferOptions,
): Promise<TableReport[]> {
  const first = reports.find((report) => report.table === buckets);
  if (first === undefined || table === undefined) return [...reports];
  const { deleted } = await migrateRows(source, target, table, { onRows: () => {}, signal });
  return reports.map((report) => (report === first ? { ...first, deleted } : report));
}

const progressIntervalMs = 2_000;

function throttled(report: (rows: number) => void): (rows: number) => void {
  let reportedAt = performance.now();
  return (rows) => {
    if (performance.now() - reportedAt < progressIntervalMs) return;
    reportedAt = performance.now();
    report(rows);
  };
}

async function objectsStep(source: End, target: End, plans: Plans, options: TransferOptions) {
  const find = ({ tables }: ProjectPlan) =>
    tables.find(({ schema, name }) => schema === 'storage' && name === 'objects');
  const [from, to] = [find(plans.source), find(plans.target)];
  if (from === undefined || to === undefined || source.storage === undefined || target.storage === undefined)
    return { report: undefined, notes: [] };
  const columns = from.columns.filter((column) => to.columns.includes(column));
  const table: SharedTable = { table: from.table, schema: 'storage', name: 'objects', columns, key: [] };
  const { failures, ...report } = await migrateObjects(source, target, table, options);
  return { report, notes: failures };
}

async function refresh(target: End, statements: readonly string[], notes: string[]): Promise<void> {
  for (const statement of statements) {
    try {
      await target.session.exec(statement);
    } catch (error) {
      if (!target.session.isOpen()) throw error;
      notes.push(`${statement}: ${(error as Error).message}`);
    }
  }
}
