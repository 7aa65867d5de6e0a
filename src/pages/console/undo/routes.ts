/** The routes that list journaled changes and take them back. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { databaseRoleOf } from '../persona/act.ts';
import type { Api } from '../routes/api.ts';
import { readingShort, writingLong } from '../tables/timing.ts';
import { isConflict, type Values } from './core/states.ts';
import {
  countRows,
  findEntry,
  findRows,
  type Limits,
  listEntries,
  listFacets,
  type StoredEntry,
} from './journal.ts';
import type { Recorder } from './recorder.ts';
import { compareRows, currentTables, takeBackRows } from './revert.ts';

export interface UndoDeps {
  readonly database: Database;
  readonly recorder: Recorder;
  readonly limits: () => Limits;
  readonly audit: Audit;
}

const shownRows = 50;
/** The maximum length of a value in a response. */
const shownChars = 1000;

const shortened = (values: Values | null): Values | null =>
  values?.map((value) =>
    value === null || value.length <= shownChars ? value : `${value.slice(0, shownChars)}…`.toWellFormed(),
  ) ?? null;

/** The first key of the advisory locks, which is `undo` in ASCII. */
const lockGroup = 0x756e_646f;

/**
 * Prevents two operators from taking an entry back at the same time. Without the lock, rows of a table without a key would
 * be inserted twice.
 * @throws {ConsoleError} refused
 */
async function lockEntry(tx: Queryable, id: number): Promise<void> {
  const [row] = await tx.query<{ isOurs: boolean }>(sql`
    select pg_catalog.pg_try_advisory_xact_lock(${lockGroup}::int, ${id % 2 ** 31}::int) as "isOurs"`);
  if (row?.isOurs !== true)
    throw new ConsoleError('refused', { message: 'This change is being undone already. Try again later.' });
}

export function undoRoutes(api: Api, { database, recorder, limits, audit }: UndoDeps): void {
  const route = api.feature(() => import('./contract.ts'));
  const db = database.pool('supabase_admin');
  const { ownsSchemas } = database.info;

  async function entryOf(text: string): Promise<StoredEntry> {
    const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
    const found = ownsSchemas ? await findEntry(db, id, limits().days) : undefined;
    if (found === undefined)
      throw new ConsoleError('not_found', { message: 'This change is no longer in the journal.' });
    return found;
  }

  route('GET /undo', 'read', async (call) => {
    const filter = await call.query();
    const { days } = limits();
    if (!ownsSchemas) return { entries: [], more: false, isKept: false, days };
    return { ...(await listEntries(db, filter, days)), isKept: true, days };
  });
  route('GET /undo/facets', 'read', async () =>
    ownsSchemas ? listFacets(db, limits().days) : { operators: [], actions: [], tables: [] },
  );
  route('GET /undo/:id', 'read', async (call) => {
    const { offset } = await call.query();
    const { entry, tables } = await entryOf(call.params.id);
    const stored = await findRows(db, entry.id, { offset, limit: shownRows });
    const total = await countRows(db, entry.id);
    const { current, compared } = await database
      .pool(databaseRoleOf(call.operator.role))
      .transaction(async (tx) => {
        const current = await currentTables(tx, tables);
        const isRepeat = entry.undoneBy.length > 0;
        return { current, compared: await compareRows(tx, stored, current, { isRepeat, lock: false }) };
      }, readingShort);
    return {
      ...entry,
      details: tables.map(({ number, columns, key }) => ({
        ...{ columns, key },
        current: current.get(number)?.positions.map((index) => columns[index] ?? '') ?? [],
      })),
      rows: compared.map(({ row, state, now }) => ({
        ...{ number: row.number, table: row.table, state },
        before: shortened(row.before),
        after: shortened(row.after),
        now: isConflict(state) ? shortened(now) : null,
      })),
      total,
    };
  });
  route('POST /undo/:id', 'write', async (call) => {
    const { rows: numbers, anyway } = await call.body();
    const { entry, tables } = await entryOf(call.params.id);
    const stored = await findRows(db, entry.id, numbers === undefined ? undefined : { numbers });
    const result = await database.pool(databaseRoleOf(call.operator.role)).transaction(async (tx) => {
      await lockEntry(tx, entry.id);
      const { undoneBy } = (await entryOf(call.params.id)).entry;
      const recording = await recorder.begin(tx, {
        ...{ operator: call.operator, action: 'row.undo', undoes: entry.id, isOperator: true },
      });
      const current = await currentTables(tx, tables);
      const compared = await compareRows(tx, stored, current, { isRepeat: undoneBy.length > 0, lock: true });
      const counts = await takeBackRows(tx, compared, current, anyway);
      const recorded = counts.undone === 0 ? undefined : await recording.finish();
      return { ...counts, entry: recorded?.id ?? null };
    }, writingLong);
    const names = [...new Set(tables.map(({ schema, name }) => `${schema}.${name}`))];
    if (result.undone > 0)
      await audit(call, 'row.undo', names.join(', '), {
        count: result.undone,
        conflicts: result.conflicts,
        entry: entry.id,
      });
    return result;
  });
}
