/** The results of `db lint` in the JSON format of the upstream CLI, which scripts parse. */

export const lintLevels = ['warning', 'error'] as const;
export type LintLevel = (typeof lintLevels)[number];

export interface LintIssue {
  readonly level: LintLevel;
  readonly message: string;
  /** The text of the query, and the position in the function's body in characters, starting at 1. */
  readonly query?: { readonly position: string; readonly text: string };
  readonly hint?: string;
  readonly detail?: string;
  readonly context?: string;
  readonly sqlState?: string;
}

export interface LintResult {
  /** The name of the function, as `schema.name`. */
  readonly function: string;
  readonly issues: readonly LintIssue[];
}

const rank = (level: LintLevel): number => lintLevels.indexOf(level);

/**
 * Returns the results with only those issues that have at least this level. Functions without such issues are omitted.
 */
export function atLevel(results: readonly LintResult[], level: LintLevel): LintResult[] {
  return results
    .map((result) => ({
      ...result,
      issues: result.issues.filter((issue) => rank(issue.level) >= rank(level)),
    }))
    .filter(({ issues }) => issues.length > 0);
}

export const hasLevel = (results: readonly LintResult[], level: LintLevel): boolean =>
  atLevel(results, level).length > 0;
