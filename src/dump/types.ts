/**
 * The catalog model of a dump.
 *
 * Glossary. *Object*: something that a statement creates and that has a row in a system catalog. *Key*: the catalog and
 * the OID of a row, such as `pg_class:16384`. *Part*: a default or check constraint that is normally created with its
 * table and can also be created later. *Section*: as in pg_dump, `pre` is created before the data and `post` afterward.
 * `final` is created last.
 */

export type Section = 'pre' | 'post' | 'final';

/** A part of a table or domain that can be created separately to break a dependency cycle. */
export interface Part {
  readonly key: string;
  /** The identity of a constraint in COMMENT ON. */
  readonly comment?: string;
  /** The statement that creates the part after its table or domain. */
  readonly statement: string;
  /** If set, the part is always created separately. A constraint that isn't validated is created after the data. */
  readonly section?: Section;
}

export interface CatalogObject {
  readonly key: string;
  /** Keys of catalog rows that belong to the object, such as a table's row type or a view's rule. */
  readonly aliases?: readonly string[];
  /** The kind as in ALTER ... OWNER TO and COMMENT ON: `TABLE`, `FUNCTION`. */
  readonly kind: ObjectKind;
  /** The schema, unquoted. Undefined for objects without a schema. */
  readonly schema?: string | undefined;
  /** Used to sort objects of the same kind and schema. */
  readonly name: string;
  /**
   * The name as written in statements: `public.items`, `public.add(integer, integer)`, `items_pkey ON public.items`.
   */
  readonly identity: string;
  readonly section: Section;
  readonly owner?: string | undefined;
  /** The owner of an extension, which can't be changed after its creation. */
  readonly creator?: string;
  readonly acl?: Acl | undefined;
  /** Keys of dependencies that pg_depend doesn't contain. */
  readonly needs?: readonly string[];
  /** Keys in pg_depend that don't determine the order. */
  readonly ignores?: readonly string[];
  readonly parts?: readonly Part[];
  /** The schema of the function that a trigger calls. */
  readonly functionSchema?: string | undefined;
  /** Returns the statements. `separate` contains the keys of the parts that are created later. */
  create(separate: ReadonlySet<string>): readonly string[];
  /**
   * The statement that creates a placeholder view with the same columns. The placeholder doesn't depend on other views
   * or functions, so it breaks a cycle.
   */
  readonly placeholder?: string | undefined;
}

/** Object kinds in the order in which they are created, unless dependencies require a different order. */
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
  /** The keyword in GRANT ... ON: `TABLE`, `FUNCTION`. */
  readonly target: AclTarget;
  /** PostgreSQL's text of each item, such as `anon=r/postgres`. Null if only the defaults apply. */
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

/** ALTER DEFAULT PRIVILEGES for one role, schema and object type. */
export interface DefaultAcl {
  readonly role: string;
  readonly schema: string | null;
  /** The letter in pg_default_acl: r, S, f, T, n or L. */
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

/** A comment, or a security label if it has a provider. */
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

/** Everything that is read from the catalogs of one database, before schemas are selected. */
export interface Catalog {
  readonly serverVersion: number;
  readonly objects: readonly CatalogObject[];
  readonly dependencies: readonly Dependency[];
  readonly comments: readonly Comment[];
  readonly defaultAcls: readonly DefaultAcl[];
  /** The existing roles among anon, authenticated and service_role. */
  readonly apiRoles: readonly string[];
  readonly tables: readonly TableData[];
  readonly sequences: readonly SequenceData[];
  /** Tables and sequences that extensions create. A dump contains only those that the extension marks for dumps. */
  readonly memberTables: readonly TableData[];
  readonly memberSequences: readonly SequenceData[];
  /** Materialized views with data, by key. */
  readonly populated: ReadonlySet<string>;
  /** Objects that a dump can't contain. A note in the dump lists them. */
  readonly unsupported: readonly string[];
}

/** Selects what a dump contains. */
export interface Selection {
  /** Whether the definitions of a schema's objects are included. */
  readonly includes: (schema: string) => boolean;
  /** Whether an object without a schema, such as an extension, is included. */
  readonly includesGlobal: (object: CatalogObject) => boolean;
  /** Whether an object in a schema that isn't included belongs to the project. */
  readonly isOwn: (object: CatalogObject) => boolean;
  readonly includesData: (schema: string, table: string) => boolean;
}
