/**
 * Caches catalog data about published tables: columns and types, primary key, row-level security and the columns that a
 * role can read. PostgreSQL describes a relation again after every DDL statement and GRANT on it, which invalidates its
 * entry.
 */
import type { Pool } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { Table } from '../core/change.ts';
import type { TypeShape } from '../core/json-text.ts';
import { ownerColumns, type RowPolicy } from '../core/owner.ts';

export interface Catalog {
  /** Returns undefined if the table was dropped. */
  table(oid: number): Promise<Table | undefined>;
  /** Returns a result without access for a role that doesn't exist. */
  access(oid: number, role: string): Promise<RoleAccess>;
  /** The tables in the publication that users manage. */
  published(): Promise<readonly PublishedTable[]>;
  forget(oid: number): void;
  forgetAll(): void;
}

/** A role's access to a table. */
export interface RoleAccess {
  /** Columns that the role can SELECT. */
  readonly selectable: ReadonlySet<string>;
  /** Whether row-level security doesn't apply to the role, because the role bypasses RLS or owns the table. */
  readonly exempt: boolean;
}

export interface PublishedTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
}

export const changesPublication = 'supabase_realtime';

/**
 * Schemas of services, which a publication for all tables also includes. They aren't sent to subscribers because every
 * role that runs SQL can read some of their tables, such as queued requests with keys in their headers.
 */
export const unpublishedSchemas: readonly string[] = [
  '_plinth',
  '_realtime',
  'cron',
  'net',
  'realtime',
  'supabase_functions',
  'supabase_migrations',
  'vault',
];

interface TableRow {
  readonly schema: string;
  readonly name: string;
  readonly row_security: boolean;
  readonly columns: readonly {
    readonly name: string;
    readonly typeOid: number;
    readonly typeName: string;
    readonly sqlType: string;
    readonly bytewise: boolean;
    readonly key: boolean;
  }[];
  readonly policies: readonly RowPolicy[];
  /**
   * Whether row owners can be determined. This requires that the functions with which policies identify the caller are
   * the service's, and that the role that looks up owners bypasses RLS.
   */
  readonly owners_known: boolean;
}

interface TypeRow {
  readonly oid: number;
  readonly name: string;
  readonly kind: string;
  readonly base: number;
  readonly element: number;
  readonly delimiter: string;
  readonly attributes: readonly { readonly name: string; readonly typeOid: number }[];
}

export function createCatalog(pool: () => Pool): Catalog {
  const tables = new Map<number, Promise<Table | undefined>>();
  const accesses = new Map<number, Map<string, Promise<RoleAccess>>>();
  const types = new Map<number, TypeRow>();

  const loadTable = async (oid: number): Promise<Table | undefined> => {
    const statement = sql`
      select n.nspname as schema, c.relname as name, c.relrowsecurity as row_security,
        coalesce((
          select jsonb_agg(jsonb_build_object(
            'name', a.attname, 'typeOid', a.atttypid::int8, 'typeName', t.typname,
            'sqlType', format_type(a.atttypid, -1), 'bytewise', coalesce(l.collisdeterministic, true),
            'key', coalesce(a.attnum = any (k.conkey), false)
          ) order by a.attnum)
          from pg_catalog.pg_attribute a
          join pg_catalog.pg_type t on t.oid = a.atttypid
          left join pg_catalog.pg_collation l on l.oid = a.attcollation
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and a.attgenerated <> 'v' -- never in the stream
        ), '[]') as columns,
        coalesce((
          select jsonb_agg(jsonb_build_object(
            'permissive', p.polpermissive, 'using', pg_get_expr(p.polqual, p.polrelid)
          ))
          from pg_catalog.pg_policy p
          where p.polrelid = c.oid and p.polcmd in ('r', '*')
        ), '[]') as policies,
        not exists (
          select from pg_catalog.pg_proc f
          where f.pronamespace = to_regnamespace('auth') and f.proname in ('uid', 'jwt')
            and f.proowner::regrole::text not in ('supabase_auth_admin', 'supabase_admin')
        ) and exists (
          select from pg_catalog.pg_roles where rolname = 'service_role' and rolbypassrls
        ) as owners_known
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
      where c.oid = ${oid}`;
    // An empty search path makes policy expressions contain qualified names. Type names are only used in casts, which
    // accept both forms.
    const [row] = await pool().transaction((tx) => tx.query<TableRow>(statement), {
      settings: [['search_path', '']],
    });
    if (row === undefined) return undefined;
    await loadTypes(row.columns.map(({ typeOid }) => typeOid));
    return {
      oid,
      schema: row.schema,
      name: row.name,
      rowSecurity: row.row_security,
      columns: row.columns.map(({ name, typeOid, typeName, sqlType, bytewise, key }) => ({
        name,
        typeName,
        sqlType,
        bytewise,
        inPrimaryKey: key,
        shape: shapeOf(typeOid, types),
      })),
      primaryKey: row.columns.filter(({ key }) => key).map(({ name }) => name),
      ownerColumns: row.owners_known ? ownerColumns(row.policies, comparableColumns(row)) : undefined,
    };
  };

  /** Loads types, including their element and attribute types. */
  const loadTypes = async (oids: readonly number[]): Promise<void> => {
    const missing = [...new Set(oids)].filter((oid) => oid !== 0 && !types.has(oid));
    if (missing.length === 0) return;
    const rows = await pool().query<TypeRow>(sql`
      select t.oid::int8 as oid, t.typname as name, t.typtype::text as kind, t.typbasetype::int8 as base,
        case when t.typcategory = 'A' then t.typelem::int8 else 0 end as element,
        coalesce(e.typdelim, t.typdelim)::text as delimiter,
        coalesce((
          select jsonb_agg(jsonb_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum)
          from pg_catalog.pg_attribute a
          where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
        ), '[]') as attributes
      from pg_catalog.pg_type t
      left join pg_catalog.pg_type e on e.oid = t.typelem
      where t.oid = any (${missing}::oid[])`);
    for (const row of rows) types.set(row.oid, row);
    await loadTypes(
      rows.flatMap(({ base, element, attributes }) => [
        base,
        element,
        ...attributes.map(({ typeOid }) => typeOid),
      ]),
    );
  };

  const loadAccess = async (oid: number, role: string): Promise<RoleAccess> => {
    const rows = await pool().query<{ name: string; exempt: boolean }>(sql`
      select a.attname as name,
        r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, c.relowner, 'USAGE') as exempt
      from pg_catalog.pg_roles r, pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where r.rolname = ${role} and c.oid = ${oid}
        and has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
        and has_column_privilege(r.oid, a.attrelid, a.attnum, 'SELECT')`);
    return {
      selectable: new Set(rows.map(({ name }) => name)),
      exempt: rows.some(({ exempt }) => exempt),
    };
  };

  return {
    table(oid) {
      return remembered(tables, oid, () => loadTable(oid));
    },
    access(oid, role) {
      let ofTable = accesses.get(oid);
      if (ofTable === undefined) {
        ofTable = new Map();
        accesses.set(oid, ofTable);
      }
      return remembered(ofTable, role, () => loadAccess(oid, role));
    },
    published() {
      return pool().query<PublishedTable>(sql`
        select c.oid::int8 as oid, p.schemaname as schema, p.tablename as name
        from pg_catalog.pg_publication_tables p
        join pg_catalog.pg_namespace n on n.nspname = p.schemaname
        join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
        where p.pubname = ${changesPublication} and p.schemaname <> all (${unpublishedSchemas})
        order by 1`);
    },
    forget(oid) {
      tables.delete(oid);
      accesses.delete(oid);
    },
    forgetAll() {
      tables.clear();
      accesses.clear();
      types.clear();
    },
  };
}

/** Columns whose equal values have equal text representations. */
function comparableColumns({ columns }: TableRow): ReadonlySet<string> {
  const comparable = columns.filter(
    ({ typeName, bytewise }) => typeName === 'uuid' || (typeName === 'text' && bytewise),
  );
  return new Set(comparable.map(({ name }) => name));
}

/** A failed load is removed so that the next caller retries. */
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

const bareKinds: Record<string, TypeShape['kind']> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  bool: 'boolean',
  json: 'json',
  jsonb: 'json',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  bytea: 'bytea',
};

function shapeOf(oid: number, types: ReadonlyMap<number, TypeRow>): TypeShape {
  const type = types.get(oid);
  if (type === undefined) return { kind: 'text' };
  if (type.kind === 'd') return shapeOf(type.base, types);
  if (type.kind === 'c') {
    return {
      kind: 'composite',
      attributes: type.attributes.map(({ name, typeOid }) => ({ name, shape: shapeOf(typeOid, types) })),
    };
  }
  if (type.element !== 0) {
    return { kind: 'array', element: shapeOf(type.element, types), delimiter: type.delimiter };
  }
  const kind = bareKinds[type.name];
  return { kind: kind ?? 'text' } as TypeShape;
}
