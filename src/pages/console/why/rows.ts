/**
 * Reads the row before and after the statement runs. The rows are read as the operator's database role, so that
 * conditions can also be evaluated for rows that are hidden from the persona.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Database, Setting, Transaction } from '../../../platform/database/types.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';
import type { RelationFacts } from './facts.ts';
import { inSession } from './session.ts';
import { aliasOf, type Cells, keyCondition, statementOf, type WhyStatement } from './statement.ts';

export interface WholeRow {
  /** The row as text, in the format of the table's row type. */
  readonly composite: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

export interface Rows {
  readonly before: WholeRow | undefined;
  readonly after: WholeRow | undefined;
}

const wantedOf = (alias: Sql): Sql => sql`${alias}::text as composite, to_jsonb(${alias}) as cells`;

/**
 * Reads both rows. `after` is the row that the statement would store, including the effects of defaults, triggers and
 * generated columns. If a constraint rejects the row, `after` contains the values in the request.
 */
export function readRows(
  database: Database,
  relation: RelationFacts,
  statement: WhyStatement,
  { identity, timeout }: { readonly identity: Identity; readonly timeout: Setting },
): Promise<Rows> {
  // The claims are set because triggers and defaults can read them. The session's role isn't changed.
  const settings = settingsOf(identity, defaultSearchPath).filter(([name]) => name !== 'role');
  return inSession(
    database.pool(identity.operatorRole),
    async (tx) => {
      const before = statement.operation === 'insert' ? undefined : await readRow(tx, relation, statement);
      const after = await writtenRow(tx, relation, statement, before);
      return { before, after };
    },
    { end: 'rollback', settings: [timeout, ...settings], readOnly: statement.operation === 'select' },
  );
}

export interface ViewRow {
  readonly cells: WholeRow['cells'];
  /** The values in the row, in PostgreSQL's text format. */
  readonly texts: Cells;
}

/**
 * Reads a row of a view. `text` is the query of the view, which runs as the operator's database role. If `text` is
 * undefined, the view itself is read.
 */
export function readViewRow(
  {
    database,
    identity,
    timeout,
  }: { readonly database: Database; readonly identity: Identity; readonly timeout: Setting },
  view: RelationFacts,
  { key }: Pick<WhyStatement, 'key'>,
  text: string | undefined,
): Promise<ViewRow | undefined> {
  const settings = settingsOf(identity, defaultSearchPath).filter(([name]) => name !== 'role');
  const alias = aliasOf(view);
  // The text from the catalog is SQL, so it is inserted without quoting.
  const from = text === undefined ? sql.id(view.schema, view.name) : sql.raw(`(${text})`);
  return inSession(
    database.pool(identity.operatorRole),
    async (tx) => {
      const [row] = await tx.query<ViewRow & { [column: string]: unknown }>(sql`
        select to_jsonb(${alias}) as cells,
          (select json_object_agg(key, value) from jsonb_each_text(to_jsonb(${alias}))) as texts
        from ${from} ${alias} where ${keyCondition(key, alias)} limit 1`);
      return row;
    },
    { end: 'rollback', settings: [timeout, ...settings], readOnly: true },
  );
}

/** Reads the row's values in some columns as text. If the row doesn't exist, the values are null. */
export function readTexts(
  {
    database,
    identity,
    timeout,
  }: { readonly database: Database; readonly identity: Identity; readonly timeout: Setting },
  relation: RelationFacts,
  { key }: Pick<WhyStatement, 'key'>,
  columns: readonly string[],
): Promise<Cells> {
  const settings = settingsOf(identity, defaultSearchPath).filter(([name]) => name !== 'role');
  const alias = aliasOf(relation);
  const texts = sql.join(columns.map((name) => sql`${alias}.${sql.id(name)}::text`));
  return inSession(
    database.pool(identity.operatorRole),
    async (tx) => {
      const { rows } = await tx.queryText(sql`
        select ${texts} from ${sql.id(relation.schema, relation.name)} ${alias}
        where ${keyCondition(key, alias)} limit 1`);
      return Object.fromEntries(columns.map((name, index) => [name, rows[0]?.[index] ?? null]));
    },
    { end: 'rollback', settings: [timeout, ...settings], readOnly: true },
  );
}

async function readRow(
  tx: Transaction,
  relation: RelationFacts,
  statement: WhyStatement,
): Promise<WholeRow | undefined> {
  const alias = aliasOf(relation);
  const rows = await tx.query<{ composite: string; cells: Record<string, unknown> }>(sql`
    select ${wantedOf(alias)} from ${sql.id(relation.schema, relation.name)} ${alias}
    where ${keyCondition(statement.key, alias)} limit 1`);
  return rows[0];
}

async function writtenRow(
  tx: Transaction,
  relation: RelationFacts,
  statement: WhyStatement,
  before: WholeRow | undefined,
): Promise<WholeRow | undefined> {
  const writes =
    statement.operation === 'insert' || (statement.operation === 'update' && before !== undefined);
  if (!writes) return undefined;
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ composite: string; cells: Record<string, unknown> }>(
        statementOf(relation, statement, wantedOf(aliasOf(relation))),
      ),
    );
    if (row !== undefined) return row;
  } catch {
    // The error is ignored here, because it is reported when the statement runs as the persona.
  }
  const type = sql.id(relation.schema, relation.name);
  const start = before === undefined ? sql`null::${type}` : sql`${before.composite}::${type}`;
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ composite: string; cells: Record<string, unknown> }>(sql`
        select ${wantedOf(aliasOf(relation))}
        from jsonb_populate_record(${start}, ${JSON.stringify(statement.values)}::jsonb) as ${aliasOf(relation)}`),
    );
    return row;
  } catch {
    return undefined;
  }
}
