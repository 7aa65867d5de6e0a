import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { disconnected } from '../core/disconnect.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { Recorder } from '../undo/recorder.ts';
import { createAccess, nameOf, personaOf } from './access.ts';
import { findRelation, listRelations } from './catalog.ts';
import type { RowKey } from './contract.ts';
import { identifying } from './core/filters.ts';
import { deleteForUndo, deletionRoutes } from './deletion.ts';
import { hintOf, insertedScope, undoOf } from './journal-hints.ts';
import { countRows, readPage, readRow } from './read.ts';
import { findReferences } from './references.ts';
import { createSnapshots } from './snapshots.ts';
import { reading, readingInPlace, readingShort, writing, writingLong } from './timing.ts';
import { type ImportProgress, transferRoutes } from './transfer-routes.ts';
import { changeRows, deleteRows, editRows, insertRow } from './write.ts';

export interface TableDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly recorder: Recorder;
  readonly progress: ImportProgress;
}

export function tableRoutes(app: FastifyInstance, api: Api, deps: TableDeps): void {
  const { database, clock, audit } = deps;
  const access = createAccess(database, clock, deps.recorder);
  const route = api.feature(() => import('./contract.ts'));
  const pool = database.pool('postgres');

  const snapshots = createSnapshots(pool);
  app.addHook('preClose', async () => snapshots.stop());

  route('GET /snapshot', 'read', async ({ query, reply }) => {
    const { after } = await query();
    return { snapshot: await snapshots.next(after, disconnected(reply.raw)) };
  });
  route('GET /tables', 'read', async () => ({ tables: await listRelations(pool) }));
  route('GET /tables/:schema/:table', 'read', access.relation);
  route('GET /tables/:schema/:table/rows', 'read', async (call) => {
    const query = await call.query();
    const relation = await access.readable(call);
    const options = relation.key.kind === 'columns' ? reading : readingInPlace;
    return access.run(call, (tx) => readPage(tx, relation, query), options);
  });
  route('GET /tables/:schema/:table/count', 'read', async (call) => {
    const { filters } = await call.query();
    const relation = await access.readable(call);
    return { count: await access.run(call, (tx) => countRows(tx, relation, filters), reading) };
  });
  route('GET /tables/:schema/:table/row', 'read', async (call) => {
    const { key } = await call.query();
    const relation = await access.readable(call);
    const row = await access.run(call, (tx) => readRow(tx, relation, key), reading);
    if (row === undefined) throw new ConsoleError('gone');
    return { row };
  });
  route('GET /tables/:schema/:table/referring', 'read', async (call) => {
    const { findReferring } = await import('./referring.ts');
    return { keys: await findReferring(pool, await access.relation(call)) };
  });
  route('GET /tables/:schema/:table/references/:column', 'read', async (call) => {
    const { search, exact } = await call.query();
    const relation = await access.readable(call);
    const reference = relation.columns.find(({ name }) => name === call.params.column)?.references;
    const target = reference && (await findRelation(pool, reference.schema, reference.table));
    if (!target) throw new ConsoleError('not_found', { message: 'This column has no foreign key.' });
    access.requireReadable(call, target);
    const signal = disconnected(call.reply.raw);
    return access.run(call, (tx) => findReferences(tx, target, reference.column, { search, exact }), {
      ...readingShort,
      signal,
    });
  });
  route('PATCH /tables/:schema/:table/rows', 'write', async (call) => {
    const { edits } = await call.body();
    const relation = await access.relation(call);
    const keysOf = (list: readonly { readonly key: RowKey }[]): RowKey[] => list.map(({ key }) => key);
    const { result: rows } = await access.change(call, (tx) => editRows(tx, relation, edits), {
      ...writing,
      action: 'row.update',
      hint: (edited) => hintOf(relation, { keys: keysOf(edits) }, { keys: keysOf(edited) }),
    });
    await audit(call, 'row.update', nameOf(relation), {
      keys: edits.slice(0, shownKeys).map(({ key }) => key),
      count: edits.length,
      columns: [...new Set(edits.flatMap(({ changes }) => Object.keys(changes)))],
      ...personaOf(call),
    });
    return { rows };
  });
  route('POST /tables/:schema/:table/rows', 'write', async (call) => {
    const { values } = await call.body();
    const relation = await access.relation(call);
    const { result: row } = await access.change(call, (tx) => insertRow(tx, relation, values), {
      ...writing,
      action: 'row.insert',
      hint: (inserted) => hintOf(relation, undefined, insertedScope(relation, inserted)),
    });
    const key = Object.fromEntries(
      identifying(relation)
        .filter((name) => name in row)
        .map((name) => [name, row[name]]),
    );
    await audit(call, 'row.insert', nameOf(relation), { key, ...personaOf(call) });
    return { row };
  });
  route('DELETE /tables/:schema/:table/rows', 'write', async (call) => {
    const { scope, rows, undo } = await call.body();
    const relation = await access.relation(call);
    const {
      result: { deleted, restorable },
      undo: entry,
    } = await access.change(
      call,
      async (tx) => {
        const kept = undo ? await deleteForUndo(tx, relation, scope) : undefined;
        const count = kept?.rows.length ?? (await deleteRows(tx, relation, scope));
        return { deleted: requireRowCount(count, rows), restorable: kept };
      },
      { ...writingLong, action: 'row.delete', hint: () => hintOf(relation, scope, undefined) },
    );
    await audit(call, 'row.delete', nameOf(relation), {
      count: deleted,
      undoable: restorable !== undefined || entry?.isPartial === false,
      ...('keys' in scope ? { keys: scope.keys.slice(0, shownKeys) } : scope),
      ...personaOf(call),
    });
    return { deleted, ...(restorable === undefined ? {} : { restorable }), ...undoOf(entry) };
  });
  deletionRoutes(api, { access, audit });
  route('POST /tables/:schema/:table/change', 'write', async (call) => {
    const { scope, rows, changes } = await call.body();
    const relation = await access.relation(call);
    const { result: changed, undo } = await access.change(
      call,
      async (tx) => requireRowCount(await changeRows(tx, relation, scope, changes), rows),
      {
        ...writingLong,
        action: 'row.update',
        hint: () => hintOf(relation, scope, 'keys' in scope ? scope : undefined),
      },
    );
    await audit(call, 'row.update', nameOf(relation), {
      count: changed,
      undoable: undo?.isPartial === false,
      columns: Object.keys(changes),
      ...('keys' in scope ? { keys: scope.keys.slice(0, shownKeys) } : scope),
      ...personaOf(call),
    });
    return { changed, ...undoOf(undo) };
  });
  transferRoutes(api, { database, access, audit, progress: deps.progress });
}

/** The maximum number of row keys that are recorded in the audit log for a large change. */
const shownKeys = 100;

/**
 * Checks that a change affects as many rows as the operator confirmed.
 * @throws {ConsoleError} not_as_told if the number of rows is different
 */
function requireRowCount(rows: number, expected: number | undefined): number {
  if (expected !== undefined && rows !== expected)
    throw new ConsoleError('not_as_told', {
      message: `The change now affects ${rows} rows instead of the ${expected} you confirmed. Nothing was changed.`,
    });
  return rows;
}
