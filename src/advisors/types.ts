/** The findings of the advisors, in the format of upstream's `db advisors` and Management API, with our additions. */

export const findingLevels = ['INFO', 'WARN', 'ERROR'] as const;
export type FindingLevel = (typeof findingLevels)[number];

export const findingCategories = ['SECURITY', 'PERFORMANCE'] as const;
export type FindingCategory = (typeof findingCategories)[number];

/** The properties that all findings of a rule share. */
export interface RuleInfo {
  /** The identifier, for example `unindexed_foreign_keys`. Upstream's rules keep upstream's names. */
  readonly name: string;
  readonly title: string;
  readonly level: FindingLevel;
  readonly category: FindingCategory;
  /** Explains why the finding matters. */
  readonly description: string;
  /** The address of the documentation, or one sentence that says what to do. */
  readonly remediation: string;
}

/** Statements that correct a finding. */
export interface Fix {
  /** One or more statements. They are shown before they run, and can be saved as a migration. */
  readonly sql: string;
  /** What the statements change for clients, or what to check before running them. */
  readonly note: string;
}

export interface Finding {
  readonly name: string;
  readonly title: string;
  readonly level: FindingLevel;
  readonly facing: 'EXTERNAL';
  readonly categories: readonly [FindingCategory];
  readonly description: string;
  readonly detail: string;
  readonly remediation: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Identifies the finding across runs. */
  readonly cache_key: string;
  /** The estimated number of rows in the table that the finding is about. */
  readonly affected_rows?: number;
  /** Undefined if the right correction depends on the app. */
  readonly fix?: Fix;
}
