/**
 * Finds the rows that a transaction has changed, including rows changed by triggers and foreign keys, without triggers or
 * locks (docs/decisions/0136-undo.md). The transaction exports a snapshot before its first change. Before it is committed,
 * a second session reads the old versions of the changed rows with this snapshot.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable, Session } from '../../../platform/database/types.ts';
import { secretSchemas } from '../core/roles.ts';
import type { MissingReason } from './contract.ts';
import { type Images, paired, type Values } from './core/states.ts';

/** The maximum number of changed rows of an entry. */
export const maxRows = 10_000;
/** The maximum size of an entry's values. */
export const maxBytes = 8 * 1024 * 1024;
/** The maximum size of a table that is searched for changed rows. */
const maxTableBytes = 256 * 1024 * 1024;
/**
 * The maximum number of rows that are marked as deleted or locked. Foreign keys mark referenced rows as locked, and the
 * mark remains.
 */
const maxMarked = 100_000;
const maxTables = 50;

/** Schemas whose rows aren't journaled, because they can contain secrets or belong to a service. */
const excludedSchemas: readonly string[] = [
  ...secretSchemas,
  ...['_analytics', '_realtime', '_supavisor', 'graphql', 'graphql_public', 'pgbouncer', 'pgsodium'],
  ...['realtime', 'storage', 'supabase_vault'],
];

export const isExcluded = (schema: string): boolean =>
  excludedSchemas.includes(schema) || schema.startsWith('pg_');

/** How long changed rows are searched. */
const maxSearchMs = 20_000;

export interface CapturedTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly reason: MissingReason | null;
  readonly rowCount: number;
  readonly rows: readonly Images[];
}

export interface Captured {
  readonly xid: string;
  readonly sizeBytes: number;
  readonly tables: readonly CapturedTable[];
}

/** The state of a transaction before its changes. */
export interface Beginning {
  readonly snapshot: string;
  readonly counts: ReadonlyMap<number, Counts>;
}

interface Counts {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/**
 * The rows that the changed rows of a table are among, so that an index can be used in a large table. The journal checks
 * that these were all.
 */
export interface Hint {
  readonly schema: string;
  readonly name: string;
  /** Conditions for the rows before and after the change. Undefined if no rows match. */
  readonly before?: Sql | undefined;
  readonly after?: Sql | undefined;
}

/** The changes that the session has counted and not reported yet, including those of earlier transactions. */
export const counted = sql`
  select * from (select c.oid::pg_catalog.int8 as oid,
      pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid)::pg_catalog.float8 as inserted,
      pg_catalog.pg_stat_get_xact_tuples_updated(c.oid)::pg_catalog.float8 as updated,
      pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid)::pg_catalog.float8 as deleted
    from pg_catalog.pg_class c
    where c.relkind in ('r', 'm') and c.relpersistence <> 't' and c.oid >= 16384) as counts
  where inserted > 0 or updated > 0 or deleted > 0`;

export type CountRow = Counts & { readonly oid: number };

/** Must be called in a transaction, before its first change and outside of savepoints. */
export async function beginCapture(tx: Queryable): Promise<Beginning> {
  const [exported] = await tx.query<{ snapshot: string }>(
    sql`select pg_catalog.pg_export_snapshot() as snapshot`,
  );
  if (exported === undefined) throw new Error('no snapshot was exported');
  const rows = await tx.query<CountRow>(counted);
  return { snapshot: exported.snapshot, counts: new Map(rows.map((row) => [row.oid, row])) };
}

/** The rows that tables had before they were emptied, by the table's OID, or why they weren't read. */
export type EmptiedTables = Map<number, readonly Values[] | MissingReason>;

export interface CaptureOptions {
  readonly database: Database;
  readonly hint?: Hint | undefined;
  readonly emptied?: EmptiedTables;
  /** Whether the transaction's role may be reset to its login role, because the transaction doesn't run as a persona. */
  readonly isOperator: boolean;
}

/**
 * Returns the changes of the transaction. Returns undefined if it changed no rows. Must be called after its last change
 * and after its deferred triggers.
 */
export async function finishCapture(
  tx: Queryable,
  beginning: Beginning,
  { database, hint, isOperator, emptied = new Map() }: CaptureOptions,
): Promise<Captured | undefined> {
  // Errors here must not affect the transaction, and the settings apply only here.
  await tx.exec('savepoint plinth_capture');
  try {
    const role = isOperator ? 'set local role none;' : '';
    await tx.exec(
      `${role} set local search_path = pg_catalog; set local statement_timeout = '10s'; set local row_security = on`,
    );
    const [xact] = await tx.query<{ xid: string | null }>(
      sql`select pg_catalog.pg_current_xact_id_if_assigned()::text as xid`,
    );
    if (!xact?.xid) return undefined;
    const counts = changesSince(beginning, await tx.query<CountRow>(counted));
    const changed = [
      ...counts.filter(({ oid }) => !emptied.has(oid)),
      ...[...emptied.keys()].map((oid) => ({ oid, inserted: 0, updated: 0, deleted: 0 })),
    ];
    if (changed.length === 0) return undefined;
    const shapes = await shapesOf(
      tx,
      changed.map(({ oid }) => oid),
    );
    return await withReader(database, beginning, (reader) =>
      readTables({ tx, reader, xid: xact.xid ?? '', hint, emptied }, changed, shapes),
    );
  } finally {
    await tx.exec('rollback to savepoint plinth_capture; release savepoint plinth_capture');
  }
}

/** Runs work with a session that sees the database as it was when the transaction began. */
export async function withReader<T>(
  database: Database,
  { snapshot }: Beginning,
  work: (reader: Session) => Promise<T>,
): Promise<T> {
  const reader = await database.pool('supabase_read_only_user').connect();
  try {
    await reader.exec('begin isolation level repeatable read read only');
    await reader.exec(`set transaction snapshot '${snapshot.replaceAll("'", '')}'`);
    await reader.exec(
      "set local search_path = pg_catalog; set local lock_timeout = '500ms'; set local statement_timeout = '10s'",
    );
    return await work(reader);
  } finally {
    reader.release();
  }
}

export function changesSince({ counts }: Beginning, rows: readonly CountRow[]): CountRow[] {
  return rows
    .map((row) => {
      const { inserted = 0, updated = 0, deleted = 0 } = counts.get(row.oid) ?? {};
      return {
        oid: row.oid,
        inserted: row.inserted - inserted,
        updated: row.updated - updated,
        deleted: row.deleted - deleted,
      };
    })
    .filter(({ inserted, updated, deleted }) => inserted + updated + deleted > 0);
}

export interface Shape {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly sizeBytes: number;
}

/** Describes tables. The key is the primary key or else a unique index whose columns aren't nullable. */
export const shapesOf = (db: Queryable, oids: readonly number[]): Promise<Shape[]> =>
  db.query<Shape>(sql`
    select c.oid::pg_catalog.int8 as oid, n.nspname::text as schema, c.relname::text as name,
      array(select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      coalesce((select array(select a.attname::text
            from pg_catalog.unnest(x.indkey[:x.indnkeyatts - 1]) with ordinality as u(number, place)
            join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = u.number order by u.place)
          from pg_catalog.pg_index x
          where x.indrelid = c.oid and x.indisunique and x.indisvalid and x.indimmediate and x.indpred is null
            and x.indexprs is null and not exists (
              select from pg_catalog.unnest(x.indkey[:x.indnkeyatts - 1]) as u(number)
              join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = u.number
              where not a.attnotnull or a.attgenerated <> '')
          order by x.indisprimary desc, x.indnkeyatts, x.indexrelid limit 1), '{}') as key,
      pg_catalog.pg_relation_size(c.oid)::pg_catalog.float8 as "sizeBytes"
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.oid = any(${oids}::pg_catalog.oid[])`);

interface Sources {
  readonly tx: Queryable;
  readonly reader: Session;
  readonly xid: string;
  readonly hint: Hint | undefined;
  readonly emptied: EmptiedTables;
}

async function readTables(
  sources: Sources,
  changed: readonly CountRow[],
  shapes: readonly Shape[],
): Promise<Captured> {
  const { reader, xid, emptied } = sources;
  const deadline = performance.now() + maxSearchMs;
  const low = (BigInt(xid) % 2n ** 32n).toString();
  const [age] = await reader.query<{ window: number }>(
    sql`select pg_catalog.age(${low}::text::xid)::pg_catalog.float8 as window`,
  );
  const own: OwnIds = { xid, low, window: age?.window ?? 0 };
  const tables: CapturedTable[] = [];
  let [rows, sizeBytes] = [0, 0];
  for (const shape of shapes) {
    const counts = changed.find(({ oid }) => oid === shape.oid);
    if (counts === undefined) continue;
    const { columns, key, oid, schema, name } = shape;
    const lost = emptied.get(oid);
    const rowCount = Array.isArray(lost) ? lost.length : counts.inserted + counts.updated + counts.deleted;
    const table = { oid, schema, name, columns, key, rowCount };
    let reason: MissingReason | null = null;
    let found: Found = { rows: [], bytes: 0 };
    if (isExcluded(schema)) reason = 'excluded';
    else if (performance.now() > deadline) reason = 'too-large';
    else if (rows + counts.inserted + counts.deleted > maxRows || tables.length >= maxTables)
      reason = 'too-large';
    else {
      const result = await readTable(sources, { shape, counts, own }, maxRows - rows, maxBytes - sizeBytes);
      if (typeof result === 'string') reason = result;
      else found = result;
    }
    rows += found.rows.length;
    sizeBytes += found.bytes;
    // A table whose rows are as they were before isn't listed.
    if (reason !== null || found.rows.length > 0) tables.push({ ...table, reason, rows: found.rows });
  }
  return { xid, sizeBytes, tables };
}

interface OwnIds {
  readonly xid: string;
  /** The lower 32 bits of the transaction ID. */
  readonly low: string;
  /** The number of transaction IDs that were assigned since, which include those of the savepoints. */
  readonly window: number;
}

interface Found {
  readonly rows: readonly Images[];
  readonly bytes: number;
}

interface TableSearch {
  readonly shape: Shape;
  readonly counts: Counts;
  readonly own: OwnIds;
}

async function readTable(
  sources: Sources,
  search: TableSearch,
  rowLimit: number,
  byteLimit: number,
): Promise<Found | MissingReason> {
  const { shape, counts } = search;
  const { hint, tx, emptied } = sources;
  const lost = emptied.get(shape.oid);
  if (typeof lost === 'string') return lost;
  const hinted =
    hint !== undefined && hint.schema === shape.schema && hint.name === shape.name ? hint : undefined;
  await tx.exec('savepoint plinth_table');
  await sources.reader.exec('savepoint plinth_table');
  try {
    if (lost !== undefined) return await refilled(sources, search, { lost, rowLimit, byteLimit });
    if (hinted !== undefined) {
      const found = await searchTable(sources, search, { hint: hinted, rowLimit, byteLimit });
      if (typeof found === 'string') {
        if (found !== 'unclear') return found;
      } else if (
        found.olds === counts.updated + counts.deleted &&
        found.news === counts.inserted + counts.updated
      )
        return found;
    }
    if (shape.sizeBytes > maxTableBytes) return 'too-large';
    return await searchTable(sources, search, { hint: undefined, rowLimit, byteLimit });
  } catch {
    return 'failed';
  } finally {
    const back = 'rollback to savepoint plinth_table; release savepoint plinth_table';
    await tx.exec(back);
    await sources.reader.exec(back);
  }
}

/** Whether a transaction ID in a system column is one of those that were assigned since the transaction began. */
const isRecent = (column: Sql, { low, window }: OwnIds): Sql =>
  sql`(${column}::text::int8 - ${low}::int8 + 4294967296) % 4294967296 <= ${window}::int8`;

/** The state of the transaction with a recent ID. */
const statusOf = (column: Sql, { xid, low }: OwnIds): Sql =>
  sql`pg_xact_status((${xid}::int8 + (${column}::text::int8 - ${low}::int8 + 4294967296) % 4294967296)::text::xid8)`;

const bytesOf = (rows: readonly Values[]): number =>
  rows.reduce((sum, row) => row.reduce((rest, value) => rest + (value?.length ?? 0), sum), 0);

/** Compares the rows of a table that was emptied with the rows that it has now. */
async function refilled(
  { tx }: Sources,
  { shape, own }: TableSearch,
  {
    lost,
    rowLimit,
    byteLimit,
  }: { readonly lost: readonly Values[]; readonly rowLimit: number; readonly byteLimit: number },
): Promise<Found | MissingReason> {
  const cells = shape.columns.map((name) => sql`${sql.id(name)}::text`);
  const [xmin, table] = [sql.raw('xmin'), sql`only ${sql.id(shape.schema, shape.name)}`];
  const { rows: now } = await tx.queryText(sql`
    select ${cells.length === 0 ? sql.raw('null') : sql.join(cells)} from ${table}
    where case when ${isRecent(xmin, own)} then ${statusOf(xmin, own)} = 'in progress' else false end
    limit ${rowLimit + 1}::int`);
  const bytes = bytesOf(lost) + bytesOf(now);
  if (lost.length + now.length > rowLimit || bytes > byteLimit) return 'too-large';
  const positions = shape.key.map((name) => shape.columns.indexOf(name));
  return { rows: paired(lost, now, positions), bytes };
}

async function searchTable(
  { tx, reader }: Sources,
  { shape, counts, own }: TableSearch,
  {
    hint,
    rowLimit,
    byteLimit,
  }: { readonly hint: Hint | undefined; readonly rowLimit: number; readonly byteLimit: number },
): Promise<(Found & { readonly olds: number; readonly news: number }) | MissingReason> {
  const table = sql`only ${sql.id(shape.schema, shape.name)}`;
  const among = (condition: Sql | undefined): Sql =>
    hint === undefined ? sql.empty : condition === undefined ? sql`and false` : sql`and (${condition})`;
  const [xmin, xmax] = [sql.raw('xmin'), sql.raw('xmax')];
  const cells = shape.columns.map((name) => sql`${sql.id(name)}::text`);
  const size =
    cells.length === 0
      ? sql.raw('0')
      : sql.join(
          cells.map((cell) => sql`coalesce(octet_length(${cell}), 0)::int8`),
          ' + ',
        );
  const ctids = async (db: Queryable, statement: Sql): Promise<string[]> =>
    (await db.queryText(statement)).rows.map(([ctid]) => ctid ?? '');
  // The versions that the transaction created and that still exist.
  const news = await ctids(
    tx,
    sql`select ctid from ${table} where case when ${isRecent(xmin, own)}
        then ${statusOf(xmin, own)} = 'in progress' else false end ${among(hint?.after)}
      limit ${rowLimit + 1}::int`,
  );
  if (news.length > rowLimit) return 'too-large';
  // The versions that a transaction deleted or locked, except those that another transaction deleted meanwhile.
  const marked = await ctids(
    reader,
    sql`select ctid from ${table} where xmax::text <> '0' and case when ${isRecent(xmax, own)}
        then ${statusOf(xmax, own)} <> 'committed' else true end ${among(hint?.before)}
      limit ${maxMarked + 1}::int`,
  );
  if (marked.length > maxMarked) return 'too-large';
  // The transaction no longer sees the versions that it deleted.
  const visible = new Set(await ctids(tx, sql`select ctid from ${table} where ctid = any(${marked}::tid[])`));
  const olds = marked.filter((ctid) => !visible.has(ctid));
  if (olds.length > rowLimit) return 'too-large';
  // Versions that the transaction created and replaced itself cancel each other out.
  if (news.length - olds.length !== counts.inserted - counts.deleted) return 'unclear';
  const sizeOf = async (db: Queryable, list: readonly string[]): Promise<number> =>
    (
      await db.query<{ bytes: number }>(
        sql`select coalesce(sum(${size}), 0)::float8 as bytes from ${table} where ctid = any(${list}::tid[])`,
      )
    )[0]?.bytes ?? 0;
  const bytes = (await sizeOf(tx, news)) + (await sizeOf(reader, olds));
  if (bytes > byteLimit) return 'too-large';
  const valuesOf = async (db: Queryable, list: readonly string[]): Promise<readonly Values[]> =>
    list.length === 0
      ? []
      : (
          await db.queryText(
            sql`select ${cells.length === 0 ? sql.raw('null') : sql.join(cells)} from ${table}
              where ctid = any(${list}::tid[])`,
          )
        ).rows;
  const before = await valuesOf(reader, olds);
  const after = await valuesOf(tx, news);
  if (before.length !== olds.length || after.length !== news.length) return 'unclear';
  const positions = shape.key.map((name) => shape.columns.indexOf(name));
  const rows = paired(before, after, positions);
  return { rows, bytes, olds: olds.length, news: news.length };
}
