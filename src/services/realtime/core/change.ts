/**
 * Formats the `data` of a postgres_changes message as JSON:
 * `{schema, table, type, commit_timestamp, columns, record, old_record, errors}`. The JSON includes only the columns
 * that the role can see and the subscription selects.
 */
import type { Action } from './filter.ts';
import { jsonText, type TypeShape } from './json-text.ts';
import type { Cell, Relation, ReplicationEvent } from './pgoutput.ts';

/** Catalog data of a published table. */
export interface Table {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly rowSecurity: boolean;
  /** The columns in attribute order. */
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  /**
   * The owner columns: if a user can see a row, at least one of these columns contains the user's ID (`owner.ts`).
   * Undefined if access isn't restricted to owners.
   */
  readonly ownerColumns: readonly string[] | undefined;
}

export interface Column {
  readonly name: string;
  /** The type's name from `pg_type.typname`. */
  readonly typeName: string;
  /** Whether the type is one of PostgreSQL's own types. */
  readonly builtin: boolean;
  /** The type in the form used in casts, which is the result of `format_type`, schema-qualified if needed. */
  readonly sqlType: string;
  readonly shape: TypeShape;
  /** False if equal values can consist of different bytes, as with nondeterministic collations. */
  readonly bytewise: boolean;
  readonly inPrimaryKey: boolean;
}

/** A row change with its cells by column name. */
export interface Change {
  readonly action: Action;
  readonly relation: Relation;
  /** Milliseconds since the epoch. */
  readonly committedAt: number;
  /** The new row of an INSERT or UPDATE. Unchanged TOASTed values are taken from the old row if PostgreSQL sent it. */
  readonly row: ReadonlyMap<string, string | null> | undefined;
  /** The replica identity columns of the old row, for an UPDATE or DELETE. */
  readonly old: ReadonlyMap<string, string | null> | undefined;
  /** The size of the message that PostgreSQL sent. */
  readonly bytes: number;
}

export const maxChangeBytes = 1_048_576;
const maxValueBytesWhenCut = 64;

/** The JSON of values that PostgreSQL converted, by type and text. */
export interface ConvertedValues {
  get(sqlType: string, text: string): string | undefined;
}

const noConvertedValues: ConvertedValues = { get: () => undefined };

export type Rejection = 'Error 400: Bad Request, no primary key' | 'Error 401: Unauthorized';

/** Returns the new row's cells by column name. */
export function newRow(
  relation: Relation,
  row: readonly Cell[],
  old: { readonly whole: boolean; readonly row: readonly Cell[] } | undefined,
): Map<string, string | null> {
  const cells = new Map<string, string | null>();
  relation.columns.forEach(({ name }, index) => {
    const cell = row[index] ?? (row[index] === undefined && old?.whole ? old.row[index] : row[index]);
    if (cell !== undefined) cells.set(name, cell);
  });
  return cells;
}

/**
 * Returns the old row's replica identity, which consists of the key columns, or of all columns with REPLICA IDENTITY
 * FULL.
 */
export function oldRow(relation: Relation, row: readonly Cell[]): Map<string, string | null> {
  const cells = new Map<string, string | null>();
  relation.columns.forEach(({ name }, index) => {
    const cell = row[index];
    if (cell !== undefined) cells.set(name, cell);
  });
  return cells;
}

/**
 * Returns the replica identity for an UPDATE that didn't change its key. PostgreSQL omits the old row's identity
 * because it equals the new row's identity, but upstream's decoder always includes it.
 */
export function unchangedIdentity(
  relation: Relation,
  row: ReadonlyMap<string, string | null>,
): Map<string, string | null> | undefined {
  const cells = new Map<string, string | null>();
  for (const { name, key } of relation.columns) {
    const cell = row.get(name);
    if (key && cell !== undefined) cells.set(name, cell);
  }
  return cells.size === 0 ? undefined : cells;
}

/** Returns the reason why subscribers with this role can't receive the change, or undefined if they can receive it. */
export function rejectionOf(
  table: Table,
  action: Action,
  selectable: ReadonlySet<string>,
): Rejection | undefined {
  if (action === 'DELETE') return undefined;
  if (table.primaryKey.length === 0) return 'Error 400: Bad Request, no primary key';
  return table.primaryKey.every((name) => selectable.has(name)) ? undefined : 'Error 401: Unauthorized';
}

/** What subscribers with the same role and the same selection receive. */
export interface ChangeView {
  /** The columns that the role can read. */
  readonly selectable: ReadonlySet<string>;
  /** The columns that the subscription selects. If this is undefined, all columns are selected. */
  readonly select: ReadonlySet<string> | undefined;
  readonly rejection: Rejection | undefined;
}

export function changeJson(
  table: Table,
  change: Change,
  { selectable, select, rejection }: ChangeView,
  converted: ConvertedValues = noConvertedValues,
): string {
  const head = `"schema":${JSON.stringify(table.schema)},"table":${JSON.stringify(table.name)},"type":"${change.action}"`;
  const time = `"commit_timestamp":"${new Date(change.committedAt).toISOString()}"`;
  const shows = change.action !== 'DELETE';
  const remembers = change.action !== 'INSERT';
  if (rejection !== undefined) {
    const rows = `${shows ? ',"record":{}' : ''}${remembers ? ',"old_record":{}' : ''}`;
    return `{${head},${time},"columns":[]${rows},"errors":[${JSON.stringify(rejection)}]}`;
  }
  const visible = table.columns.filter(
    ({ name, inPrimaryKey }) =>
      selectable.has(name) && (select === undefined || select.has(name) || inPrimaryKey),
  );
  const columns = visible.map(
    ({ name, typeName }) => `{"name":${JSON.stringify(name)},"type":${JSON.stringify(typeName)}}`,
  );
  const tooLarge = change.bytes > maxChangeBytes;
  // RLS policies can't be evaluated for a deleted row, so only the row's key is sent.
  const oldColumns =
    change.action === 'DELETE' && table.rowSecurity
      ? visible.filter((column) => column.inPrimaryKey)
      : visible;
  const record = shows ? `,"record":${rowJson(visible, change.row, tooLarge, converted) ?? '{}'}` : '';
  const oldRecord = remembers
    ? `,"old_record":${rowJson(oldColumns, change.old, tooLarge, converted) ?? '{}'}`
    : '';
  const errors = tooLarge ? '["Error 413: Payload Too Large"]' : 'null';
  return `{${head},${time},"columns":[${columns.join(',')}]${record}${oldRecord},"errors":${errors}}`;
}

function rowJson(
  columns: readonly Column[],
  cells: ReadonlyMap<string, string | null> | undefined,
  cut: boolean,
  converted: ConvertedValues,
): string | undefined {
  if (cells === undefined) return undefined;
  const members: string[] = [];
  for (const { name, shape, sqlType } of columns) {
    const cell = cells.get(name);
    if (cell === undefined) continue;
    const isCast = shape.kind === 'cast' && cell !== null;
    const value = (isCast ? converted.get(sqlType, cell) : undefined) ?? jsonText(shape, cell);
    if (cut && Buffer.byteLength(value) > maxValueBytesWhenCut) continue;
    members.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${members.join(',')}}`;
}

/** Converts a row event from the stream into a change. */
export function changeOf(
  event: ReplicationEvent & { kind: 'insert' | 'update' | 'delete' },
  committedAt: number,
): Change {
  const { relation, bytes } = event;
  switch (event.kind) {
    case 'insert':
      return {
        action: 'INSERT',
        relation,
        committedAt,
        bytes,
        row: newRow(relation, event.row, undefined),
        old: undefined,
      };
    case 'update': {
      const row = newRow(relation, event.row, event.old);
      const old =
        event.old === undefined ? unchangedIdentity(relation, row) : oldRow(relation, event.old.row);
      return { action: 'UPDATE', relation, committedAt, bytes, row, old };
    }
    case 'delete':
      return {
        action: 'DELETE',
        relation,
        committedAt,
        bytes,
        row: undefined,
        old: oldRow(relation, event.old.row),
      };
  }
}
