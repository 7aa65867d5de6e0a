/** Describes what skipped statements mean for the security of the project's tables. */
import type { SkippedStatement } from './failures.ts';
import { identifier, partsOf, withoutComments } from './missing.ts';

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

const enables = /\b(?:enable|force)\s+row\s+level\s+security\b/i;

/**
 * Returns the lines to print below the skipped statements. `open` contains the tables without row level security that
 * clients have privileges for.
 *
 * @example
 * securityConsequences([{ statement: 'alter table notes enable row level security', … }], [{ schema: 'public', name: 'notes' }]);
 * // ['', 'Security:', '  public.notes: any client can access all rows, because … (supabase/migrations/1_a.sql:1).']
 */
export function securityConsequences(
  failures: readonly SkippedStatement[],
  open: readonly TableName[],
): string[] {
  const lines = new Set<string>();
  for (const { statement, file, line } of failures) {
    const text = withoutComments(statement);
    const where = `${file}:${line}`;
    const words = new Set(namesIn(text));
    if (enables.test(text)) {
      const named = open.filter(({ name }) => words.has(name));
      // A block that loops over the tables doesn't name them.
      for (const { schema, name } of named.length > 0 || !/^\s*do\b/i.test(text) ? named : open)
        lines.add(
          `${schema}.${name}: any client with a publishable key can access all rows, because the statement that enables row level security was skipped (${where}).`,
        );
    }
    if (/^\s*(?:create|alter)\s+policy\b/i.test(text))
      lines.add(
        /\bas\s+restrictive\b/i.test(text)
          ? `${where}: clients can access more rows than intended, because this restrictive policy was skipped.`
          : `${where}: clients can't access the rows that this policy allows.`,
      );
    if (/^\s*(?:revoke|alter\s+default\s+privileges\b[^;]*\brevoke)\b/i.test(text))
      lines.add(`${where}: roles keep privileges that this statement revokes.`);
    if (/^\s*create\b[^;]*\btrigger\b/i.test(text))
      lines.add(`${where}: the checks and changes of this trigger don't run.`);
  }
  return lines.size === 0 ? [] : ['Security:', ...[...lines].map((text) => `  ${text}`)];
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(identifier, 'g'))].flatMap(([written]) => partsOf(written));
