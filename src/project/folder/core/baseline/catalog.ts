/** The objects that the database contains after the migrations. Keys have the form `schema.name`. */
export interface Catalog {
  /** The columns of each table and view. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  /** The names of enums and composite types. */
  readonly types: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** The source code of every function that a migration creates. */
  readonly functionBodies: readonly string[];
  /** The columns of each unique key of a table, sorted and separated by commas. */
  readonly uniqueKeys: ReadonlyMap<string, readonly string[]>;
  /** The tables that have policies other than the baseline's. */
  readonly withPolicy: ReadonlySet<string>;
}

/** The name prefix of the baseline's policies, which distinguishes them from policies in migrations. */
export const policyPrefix = 'Baseline: ';
