/** What the database has once the migrations have run. Keys are `schema.name`. */
export interface Catalog {
  /** Tables and views, with their columns. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  /** Enums and composite types. */
  readonly types: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Tables that have a policy which isn't the baseline's. */
  readonly withPolicy: ReadonlySet<string>;
}

/** By which the baseline's policies are told from those of the migrations. */
export const policyPrefix = 'Baseline: ';
