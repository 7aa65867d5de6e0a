/** Defines findings in the format of upstream's `db advisors` command and Management API, with additional fields. */

export const findingLevels = ['INFO', 'WARN', 'ERROR'] as const;
export type FindingLevel = (typeof findingLevels)[number];

export const findingCategories = ['SECURITY', 'PERFORMANCE'] as const;
export type FindingCategory = (typeof findingCategories)[number];

/** The properties that all findings of a rule have in common. */
export interface RuleInfo {
  /** The identifier, for example `unindexed_foreign_keys`. Rules from upstream keep upstream's names. */
  readonly name: string;
  readonly title: string;
  readonly level: FindingLevel;
  readonly category: FindingCategory;
  /** The explanation of why the finding matters. */
  readonly description: string;
  /** The URL of the documentation, or one sentence that describes how to fix the problem. */
  readonly remediation: string;
}

/** The statements that fix a finding. */
export interface Fix {
  /** One or more statements. The Console shows the statements before running them, and can save them as a migration. */
  readonly sql: string;
  /**
   * The effect of the statements on clients, or a note on what operators should check before running the statements.
   */
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
  /** The key that identifies the same finding in different runs. */
  readonly cache_key: string;
  /** The estimated number of rows in the affected table. */
  readonly affected_rows?: number;
  /** The fix is undefined if the right fix depends on the app. */
  readonly fix?: Fix;
}
