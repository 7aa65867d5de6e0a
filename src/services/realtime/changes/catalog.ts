/**
 * Caches catalog data about published tables: columns and types, the primary key, row-level security and the columns
 * that a role can read. After every DDL statement and GRANT on a table, PostgreSQL sends a new description of the
 * table, and the cached entry is discarded.
 */
import type { Pool } from '../../../platform/database/types.ts';
import type { Table } from '../core/change.ts';
import type { TypeShape } from '../core/json-text.ts';
import { ownerColumns } from '../core/owner.ts';
import {
  findTable,
  listPublished,
  listReadableColumns,
  listTypes,
  type PublishedTable,
  type TableRow,
  type TypeRow,
} from './catalog-queries.ts';

export interface Catalog {
  /** Returns the table, or undefined if it was dropped. */
  table(oid: number): Promise<Table | undefined>;
  /** Returns the role's access. If the role doesn't exist, the result denies access. */
  access(oid: number, role: string): Promise<RoleAccess>;
  /** Returns the tables in the user-managed publication. */
  published(): Promise<readonly PublishedTable[]>;
  forget(oid: number): void;
  forgetAll(): void;
}

/** A role's access to a table. */
export interface RoleAccess {
  /** The columns that the role can SELECT. */
  readonly selectable: ReadonlySet<string>;
  /** Whether the role is exempt from row-level security because it bypasses RLS or owns the table. */
  readonly exempt: boolean;
}

export const createCatalog = (pool: () => Pool): Catalog => new DatabaseCatalog(pool);

class DatabaseCatalog implements Catalog {
  readonly #pool: () => Pool;
  readonly #tables = new Map<number, Promise<Table | undefined>>();
  readonly #accesses = new Map<number, Map<string, Promise<RoleAccess>>>();
  readonly #types = new Map<number, TypeRow>();

  constructor(pool: () => Pool) {
    this.#pool = pool;
  }

  table(oid: number): Promise<Table | undefined> {
    return remembered(this.#tables, oid, () => this.#loadTable(oid));
  }

  access(oid: number, role: string): Promise<RoleAccess> {
    let ofTable = this.#accesses.get(oid);
    if (ofTable === undefined) {
      ofTable = new Map();
      this.#accesses.set(oid, ofTable);
    }
    return remembered(ofTable, role, () => this.#loadAccess(oid, role));
  }

  published(): Promise<readonly PublishedTable[]> {
    return listPublished(this.#pool());
  }

  forget(oid: number): void {
    this.#tables.delete(oid);
    this.#accesses.delete(oid);
  }

  forgetAll(): void {
    this.#tables.clear();
    this.#accesses.clear();
    this.#types.clear();
  }

  async #loadTable(oid: number): Promise<Table | undefined> {
    const row = await findTable(this.#pool(), oid);
    if (row === undefined) return undefined;
    await this.#loadTypes(row.columns.map(({ typeOid }) => typeOid));
    return {
      oid,
      schema: row.schema,
      name: row.name,
      rowSecurity: row.row_security,
      columns: row.columns.map(({ name, typeOid, typeName, builtin, sqlType, bytewise, key }) => ({
        name,
        typeName,
        builtin,
        sqlType,
        bytewise,
        inPrimaryKey: key,
        shape: columnShape(typeOid, this.#types),
      })),
      primaryKey: row.columns.filter(({ key }) => key).map(({ name }) => name),
      ownerColumns: row.owners_known ? ownerColumns(row.policies, comparableColumns(row)) : undefined,
    };
  }

  /** Loads types, including the types of their elements and attributes. */
  async #loadTypes(oids: readonly number[]): Promise<void> {
    const missing = [...new Set(oids)].filter((oid) => oid !== 0 && !this.#types.has(oid));
    if (missing.length === 0) return;
    const rows = await listTypes(this.#pool(), missing);
    for (const row of rows) this.#types.set(row.oid, row);
    await this.#loadTypes(
      rows.flatMap(({ base, element, attributes }) => [
        base,
        element,
        ...attributes.map(({ typeOid }) => typeOid),
      ]),
    );
  }

  async #loadAccess(oid: number, role: string): Promise<RoleAccess> {
    const rows = await listReadableColumns(this.#pool(), oid, role);
    return {
      selectable: new Set(rows.map(({ name }) => name)),
      exempt: rows.some(({ exempt }) => exempt),
    };
  }
}

/** Returns the columns whose types always represent equal values as the same text. */
function comparableColumns({ columns }: TableRow): ReadonlySet<string> {
  const comparable = columns.filter(
    ({ typeName, builtin, bytewise }) =>
      builtin && (typeName === 'uuid' || (typeName === 'text' && bytewise)),
  );
  return new Set(comparable.map(({ name }) => name));
}

/** Removes a failed load from the cache so that the next caller loads the value again. */
function remembered<K, V>(cache: Map<K, Promise<V>>, key: K, load: () => Promise<V>): Promise<V> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loading = load();
  cache.set(key, loading);
  loading.catch(() => {
    if (cache.get(key) === loading) cache.delete(key);
  });
  return loading;
}

const bareKinds: ReadonlyMap<string, 'number' | 'boolean' | 'json' | 'timestamp' | 'timestamptz'> = new Map([
  ['int2', 'number'],
  ['int4', 'number'],
  ['int8', 'number'],
  ['float4', 'number'],
  ['float8', 'number'],
  ['numeric', 'number'],
  ['bool', 'boolean'],
  ['json', 'json'],
  ['jsonb', 'json'],
  ['timestamp', 'timestamp'],
  ['timestamptz', 'timestamptz'],
]);

/** Upstream's decoder (wal2json) removes the prefix `\x` only from columns whose type is bytea itself. */
function columnShape(oid: number, types: ReadonlyMap<number, TypeRow>): TypeShape {
  return types.get(oid)?.name === 'bytea' ? { kind: 'bytea' } : shapeOf(oid, types);
}

function shapeOf(oid: number, types: ReadonlyMap<number, TypeRow>): TypeShape {
  const type = types.get(oid);
  if (type === undefined) return { kind: 'text' };
  if (type.kind === 'd') return shapeOf(type.base, types);
  if (type.kind === 'c') {
    const attributes = type.attributes.map(({ name, typeOid }) => ({ name, shape: shapeOf(typeOid, types) }));
    return attributes.some(({ shape }) => shape.kind === 'cast')
      ? { kind: 'cast' }
      : { kind: 'composite', attributes };
  }
  if (type.element !== 0) {
    const element = shapeOf(type.element, types);
    if (element.kind === 'cast') return element;
    const isVector = type.name === 'int2vector' || type.name === 'oidvector';
    return isVector ? { kind: 'vector', element } : { kind: 'array', element, delimiter: type.delimiter };
  }
  if (type.has_json_cast) return { kind: 'cast' };
  return { kind: bareKinds.get(type.name ?? '') ?? 'text' };
}
