/**
 * Compares the moved database with its source, including every row, every sequence, every large object and the
 * catalogs.
 */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { ConnectionOptions } from '../../platform/database/index.ts';
import { type CopySession, openCopySession } from '../../platform/database/index.ts';
import { type CopiedTable, readTable, type TableData } from '../dump/index.ts';
import { catalogQueries, dataSubjects } from './catalog-facts.ts';
import { UpgradeError } from './errors.ts';

export interface VerifyOptions {
  readonly database: string;
  readonly source: ConnectionOptions;
  readonly target: ConnectionOptions;
  readonly tables: readonly TableData[];
  /** The number and hash of the rows that the source sent, by table. */
  readonly copied: ReadonlyMap<string, CopiedTable>;
  /** Whether rows, sequence values and large objects are compared. */
  readonly withData: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Compares the databases. @throws {UpgradeError} differs */
export async function verifyDatabase(options: VerifyOptions): Promise<void> {
  const { database, tables, onProgress, signal } = options;
  const [source, target] = await Promise.all([
    openCopySession(options.source),
    openCopySession(options.target),
  ]);
  const onAbort = (): void => {
    source.destroy();
    target.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (const session of [source, target]) await session.exec(settings);
    const differences = await catalogDifferences(source, target, options.withData);
    if (options.withData) {
      for (const [index, { table, columns }] of tables.entries()) {
        signal.throwIfAborted();
        if (index % 100 === 0) onProgress(`Comparing ${tables.length} tables of the database ${database}`);
        const names = columns.length === 0 ? '' : ` (${columns.join(', ')})`;
        const found = await readTable(target, `copy ${table}${names} to stdout`);
        const expected = options.copied.get(table);
        if (found.rows !== expected?.rows || found.hash !== expected.hash)
          differences.push(`rows of ${table}`);
      }
      differences.push(...(await compare(source, target, 'sequence values', sequenceValues)));
      differences.push(...(await compare(source, target, 'large objects', largeObjects)));
    }
    if (differences.length > 0)
      throw new UpgradeError('differs', { differences: `${database}: ${summary(differences)}` });
  } finally {
    signal.removeEventListener('abort', onAbort);
    onAbort();
  }
}

/** Session settings that make the text form of values independent of the database's settings. */
const settings = `set search_path = ''; set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 3; set bytea_output = 'hex'; set xmloption = 'content'; set row_security = off;
  set client_encoding = 'UTF8'`;

const maxListed = 10;
const summary = (differences: readonly string[]): string =>
  differences.slice(0, maxListed).join('; ') +
  (differences.length > maxListed ? `; and ${differences.length - maxListed} more` : '');

const sequenceValues = sql`
  select schemaname, sequencename, last_value::text, start_value::text, increment_by::text from pg_sequences order by 1, 2`;

/**
 * Reads the hashes of large objects. Trailing zeros of a page are ignored, because PostgreSQL reads missing bytes as
 * zeros.
 */
const largeObjects = sql`
  select loid::text, count(*)::text as pages, sum(hashtextextended(pageno || ' ' || encode(rtrim(data, '\\x00'::bytea), 'base64'), 0)::numeric)::text as hash
  from pg_largeobject where rtrim(data, '\\x00'::bytea) <> '' group by loid order by 1`;

async function compare(
  source: CopySession,
  target: CopySession,
  subject: string,
  query: Sql,
): Promise<string[]> {
  const [before, after] = await Promise.all([source.query(query), target.query(query)]);
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [subject];
}

async function catalogDifferences(
  source: CopySession,
  target: CopySession,
  withData: boolean,
): Promise<string[]> {
  const differences: string[] = [];
  for (const [subject, query] of Object.entries(catalogQueries)) {
    if (!withData && dataSubjects.has(subject)) continue;
    const [before, after] = await Promise.all([
      source.query<{ fact: string }>(query),
      target.query<{ fact: string }>(query),
    ]);
    const [expected, found] = [before, after].map((rows) => new Set(rows.map(({ fact }) => fact)));
    for (const fact of expected ?? []) if (!found?.has(fact)) differences.push(`missing ${subject} ${fact}`);
    for (const fact of found ?? [])
      if (!expected?.has(fact)) differences.push(`unexpected ${subject} ${fact}`);
  }
  return differences;
}
