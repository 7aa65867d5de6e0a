/**
 * Reports extensions that the project needs but the embedded PostgreSQL doesn't have. The extensions are listed after
 * startup, and also in any error that their absence causes.
 */

import { sql } from '../../base/kernel/sql.ts';
import { missingExtensions, missingSentence, placeholderVersion } from '../../platform/database/index.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';
import type { SqlText } from './core/missing.ts';
import { missingExtensionOf } from './core/missing-extension.ts';

export interface PlaceholderReport {
  readonly database: Database;
  readonly files: () => readonly SqlText[];
  readonly report: (line: string) => void;
}

/** Applies migrations and then lists all placeholders, even if a migration has failed. */
export async function reportingPlaceholders(
  { database, files, report }: PlaceholderReport,
  migrate: () => Promise<void>,
): Promise<void> {
  const list = async (failed?: FailedForExtension) => {
    if (!database.info.embedded) return;
    const names = await selectPlaceholders(database.pool('postgres'));
    describePlaceholders(names, files(), failed).forEach(report);
  };
  try {
    await migrate();
  } catch (error) {
    await list(failedForExtension(error));
    throw error;
  }
  await list();
}

async function selectPlaceholders(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select extname::text as name from pg_catalog.pg_extension where extversion = ${placeholderVersion} order by 1`);
  return rows.map(({ name }) => name);
}

interface FailedForExtension {
  readonly extension: string;
  /** The position, such as `supabase/migrations/1_init.sql:3`. */
  readonly at: string;
}

/**
 * Returns the lines about missing extensions to print. The lines contain a notice about optional extensions and a table
 * of all other extensions. If a statement has failed because of a missing extension, the table contains the statement's
 * position.
 */
export function describePlaceholders(
  names: readonly string[],
  files: readonly SqlText[],
  failed?: FailedForExtension,
): string[] {
  const isOptional = (name: string) =>
    missingExtensions[name]?.isOptional === true && name !== failed?.extension;
  const optional = names.filter(isOptional);
  const rows = [
    ...new Set([...names.filter((name) => !isOptional(name)), ...(failed ? [failed.extension] : [])]),
  ]
    .sort()
    .map((name) => [
      name,
      createdAt(name, files) ?? '',
      ...(failed === undefined ? [] : [name === failed.extension ? failed.at : '']),
      missingExtensions[name]?.advice ?? '',
    ]);
  const head = [
    'extension',
    'created in',
    ...(failed === undefined ? [] : ['failed statement']),
    'next step',
  ];
  return [
    ...(optional.length === 0
      ? []
      : [`Skipped because only tuning, monitoring and development need them: ${optional.join(', ')}`]),
    ...(rows.length === 0
      ? []
      : ['The embedded PostgreSQL has only placeholders for these extensions:', ...columns([head, ...rows])]),
  ];
}

/**
 * Returns the missing extension that caused a statement to fail. Returns undefined if the statement failed for a
 * different reason.
 */
function failedForExtension(error: unknown): FailedForExtension | undefined {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return undefined;
  const extension = missingExtensionOf(error.cause);
  const at = /^(\S.*?:\d+): /.exec(error.message)?.[1];
  if (extension === undefined || at === undefined) return undefined;
  // Only extensions in the list have a placeholder.
  return Object.hasOwn(missingExtensions, extension) ? { extension, at } : undefined;
}

/** Explains why PostgreSQL can't find the object and what the developer can do. */
export function absentExtensionSentence(error: { readonly message: string }): string | undefined {
  const name = missingExtensionOf(error);
  if (name === undefined) return undefined;
  const sentence = missingSentence(name);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Returns the position of the first statement that creates this extension, as `file:line`. */
function createdAt(name: string, files: readonly SqlText[]): string | undefined {
  const statement = new RegExp(
    String.raw`\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"${name}"|${name}(?![\w-]))`,
    'i',
  );
  for (const { shownPath, text } of files) {
    const at = text.search(statement);
    if (at !== -1) return `${shownPath}:${text.slice(0, at).split('\n').length}`;
  }
  return undefined;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
