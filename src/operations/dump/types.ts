/**
 * The catalog model of a dump.
 *
 * Glossary. *Object*: an object that a statement creates and that has a row in a system catalog. *Key*: the catalog and
 * the OID of a row, such as `pg_class:16384`. *Part*: a default or check constraint that is normally created with its
 * table and can also be created later. *Section*: as in pg_dump, objects in `pre` are created before the data is
 * loaded, and those in `post` afterward. Objects in `final` are created last.
 */
import type { Queryable } from '../../platform/database/index.ts';

export type Section = 'pre' | 'post' | 'final';

/** A part of a table or domain that can be created separately to break a dependency cycle. */
export interface Part {
  readonly key: string;
  /** The identity of a constraint in the syntax of COMMENT ON. */
  readonly comment?: string;
  /** The statement that creates the part after its table or domain. */
  readonly statement: string;
  /**
   * The section in which the part is created. If it is set, the part is always created separately. For example, a
   * constraint that isn't validated is created after the data is loaded.
   */
  readonly section?: Section;
}

export interface CatalogObject {
  readonly key: string;
  /** Keys of catalog rows that belong to the object, such as a table's row type or a view's rule. */
  readonly aliases?: readonly string[];
  /** The object's kind, as a keyword in statements such as ALTER and COMMENT ON: `TABLE`, `FUNCTION`. */
  readonly kind: ObjectKind;
  /** The schema, unquoted. The value is undefined for objects without a schema. */
  readonly schema?: string | undefined;
  /** The name by which objects of the same kind and schema are sorted. */
  readonly name: string;
  /**
   * The name in the form that statements use: `public.items`, `public.add(integer, integer)`,
   * `items_pkey ON public.items`.
   */
  readonly identity: string;
  readonly section: Section;
  readonly owner?: string | undefined;
  /** The owner of an extension, which can't be changed after the extension is created. */
  readonly creator?: string;
  readonly acl?: Acl | undefined;
  /** The keys of objects that this object depends on without a row in pg_depend. */
  readonly needs?: readonly string[];
  /** The keys of objects that this object may precede although it depends on them according to pg_depend. */
  readonly ignores?: readonly string[];
  readonly parts?: readonly Part[];
  /** The schema of the function that a trigger calls. */
  readonly functionSchema?: string | undefined;
  /** Returns the statements. `separate` contains the keys of the parts that are created in separate statements. */
  create(separate: ReadonlySet<string>): readonly string[];
  /**
   * The statement that creates a placeholder view with the same columns. The placeholder doesn't depend on other views
   * or functions, so creating it first breaks a cycle.
   */
  readonly placeholder?: string | undefined;
}

/** The object kinds, in the order in which objects are created unless dependencies require a different order. */
export const objectKinds = [
  'SCHEMA',
  'EXTENSION',
  'ACCESS METHOD',
  'COLLATION',
  'TYPE',
  'DOMAIN',
  'FUNCTION',
  'LANGUAGE',
  'PROCEDURE',
  'AGGREGATE',
  'OPERATOR',
  'OPERATOR FAMILY',
  'OPERATOR CLASS',
  'CAST',
  'TRANSFORM',
  'CONVERSION',
  'TEXT SEARCH PARSER',
  'TEXT SEARCH TEMPLATE',
  'TEXT SEARCH DICTIONARY',
  'TEXT SEARCH CONFIGURATION',
  'FOREIGN DATA WRAPPER',
  'SERVER',
  'USER MAPPING',
  'SEQUENCE',
  'TABLE',
  'FOREIGN TABLE',
  'VIEW',
  'MATERIALIZED VIEW',
  'PARTITION',
  'OWNED SEQUENCE',
  'CONSTRAINT',
  'INDEX',
  'INDEX PARTITION',
  'FOREIGN KEY',
  'STATISTICS',
  'RULE',
  'TRIGGER',
  'POLICY',
  'ROW SECURITY',
  'PUBLICATION',
  'LARGE OBJECT',
  'SUBSCRIPTION',
  'EVENT TRIGGER',
] as const;
export type ObjectKind = (typeof objectKinds)[number];

export interface Acl {
  /** The keyword after ON in GRANT: `TABLE`, `FUNCTION`. */
  readonly target: AclTarget;
  /**
   * Each item in PostgreSQL's text format, such as `anon=r/postgres`. The list is null if only the default privileges
   * apply.
   */
  readonly items: readonly string[] | null;
  /** The items of each column that has column privileges. */
  readonly columns?: readonly { readonly column: string; readonly items: readonly string[] }[] | undefined;
}

export type AclTarget =
  | 'TABLE'
  | 'SEQUENCE'
  | 'FUNCTION'
  | 'PROCEDURE'
  | 'TYPE'
  | 'DOMAIN'
  | 'SCHEMA'
  | 'LANGUAGE'
  | 'LARGE OBJECT'
  | 'FOREIGN DATA WRAPPER'
  | 'FOREIGN SERVER';

/** The default privileges that ALTER DEFAULT PRIVILEGES has set for one role, schema and object type. */
export interface DefaultAcl {
  readonly role: string;
  readonly schema: string | null;
  /** The object type as the letter that pg_default_acl contains: r, S, f, T, n or L. */
  readonly type: string;
  readonly items: readonly string[];
}

export interface TableData {
  /** The quoted and qualified name. */
  readonly table: string;
  readonly owner: string;
  readonly schema: string;
  readonly name: string;
  /** The quoted names of the copied columns. */
  readonly columns: readonly string[];
  /** The condition that selects the rows to copy from an extension's table. */
  readonly condition?: string | undefined;
}

export interface SequenceData {
  /** The quoted and qualified name. */
  readonly sequence: string;
  readonly schema: string;
}

/** A comment, or a security label if `provider` is set. */
export interface Comment {
  readonly key: string;
  readonly column: string | null;
  readonly text: string;
  readonly provider?: string;
}

export interface Dependency {
  readonly from: string;
  readonly to: string;
}

/** All data that is read from the catalogs of one database, before schemas are selected. */
export interface Catalog {
  readonly serverVersion: number;
  readonly objects: readonly CatalogObject[];
  readonly dependencies: readonly Dependency[];
  readonly comments: readonly Comment[];
  readonly defaultAcls: readonly DefaultAcl[];
  /** Those of the roles `anon`, `authenticated` and `service_role` that exist. */
  readonly apiRoles: readonly string[];
  readonly tables: readonly TableData[];
  readonly sequences: readonly SequenceData[];
  /**
   * Tables and sequences that extensions create. A dump contains the rows of such a table only if the extension marks
   * it with `pg_extension_config_dump`.
   */
  readonly memberTables: readonly TableData[];
  readonly memberSequences: readonly SequenceData[];
  /** The keys of the materialized views that contain data. */
  readonly populated: ReadonlySet<string>;
  /** Objects that a dump can't contain. A note in the dump lists these objects. */
  readonly unsupported: readonly string[];
}

/** Selects the content of a dump. */
export interface Selection {
  /** Whether the definitions of a schema's objects are included. */
  readonly includes: (schema: string) => boolean;
  /** Whether an object without a schema, such as an extension, is included. */
  readonly includesGlobal: (object: CatalogObject) => boolean;
  /** Whether an object in a schema that isn't included belongs to the project. */
  readonly isOwn: (object: CatalogObject) => boolean;
  readonly includesData: (schema: string, table: string) => boolean;
}

/**
 * A session that reads the catalogs for a dump. The session's search path is empty, so that PostgreSQL's functions
 * return qualified names.
 */
export interface CatalogSession {
  readonly query: Queryable['query'];
  readonly serverVersion: number;
}
