/** The objects in the database after the migrations. Keys are `schema.name`. */
export interface Catalog {
  /** Tables and views, with their columns. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  /** Enums and composite types. */
  readonly types: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Tables with a policy that isn't from the baseline. */
  readonly withPolicy: ReadonlySet<string>;
}

/** The prefix that distinguishes the baseline's policies from those of the migrations. */
export const policyPrefix = 'Baseline: ';
