/** Reads the row before and after the statement as the tables' owner, so that conditions can be evaluated for hidden rows. */
import type { Database, Setting, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';
import type { RelationFacts } from './facts.ts';
import { type Asked, aliasOf, type Cells, keyCondition, statementOf } from './statement.ts';

export interface WholeRow {
  /** The row as text of the table's row type. */
  readonly composite: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

export interface Rows {
  readonly before: WholeRow | undefined;
  readonly after: WholeRow | undefined;
}

const wantedOf = (alias: Sql): Sql => sql`${alias}::text as composite, to_jsonb(${alias}) as cells`;

/**
 * `after` is the row that the write would store, including defaults, triggers and generated columns. If a constraint refuses
 * the write, the row consists of the given values.
 */
export function readRows(
  database: Database,
  relation: RelationFacts,
  asked: Asked,
  identity: Identity,
  timeout: Setting,
): Promise<Rows> {
  // Sets the claims for triggers and defaults. The role is still the owner's.
  const settings = settingsOf(identity, defaultSearchPath).filter(([name]) => name !== 'role');
  return database.pool(identity.operatorRole).transaction(
    async (tx) => {
      const before = asked.operation === 'insert' ? undefined : await readRow(tx, relation, asked);
      const after = await writtenRow(tx, relation, asked, before);
      return { before, after };
    },
    { end: 'rollback', settings: [timeout, ...settings], readOnly: asked.operation === 'select' },
  );
}

export interface ViewRow {
  readonly cells: WholeRow['cells'];
  /** Values in PostgreSQL's text format. */
  readonly texts: Cells;
}

/** `text` is the view's query, for the tables' owner. If it is undefined, the view itself is read. */
export function readViewRow(
  {
    database,
    identity,
    timeout,
  }: { readonly database: Database; readonly identity: Identity; readonly timeout: Setting },
  view: RelationFacts,
  { key }: Pick<Asked, 'key'>,
  text: string | undefined,
): Promise<ViewRow | undefined> {
  const settings = settingsOf(identity, defaultSearchPath).filter(([name]) => name !== 'role');
  const alias = aliasOf(view);
  // The catalog's text is already SQL.
  const from = text === undefined ? sql.id(view.schema, view.name) : sql.raw(`(${text})`);
  return database.pool(identity.operatorRole).transaction(
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

async function readRow(
  tx: Transaction,
  relation: RelationFacts,
  asked: Asked,
): Promise<WholeRow | undefined> {
  const alias = aliasOf(relation);
  const rows = await tx.query<{ composite: string; cells: Record<string, unknown> }>(sql`
    select ${wantedOf(alias)} from ${sql.id(relation.schema, relation.name)} ${alias}
    where ${keyCondition(asked.key, alias)} limit 1`);
  return rows[0];
}

async function writtenRow(
  tx: Transaction,
  relation: RelationFacts,
  asked: Asked,
  before: WholeRow | undefined,
): Promise<WholeRow | undefined> {
  const writes = asked.operation === 'insert' || (asked.operation === 'update' && before !== undefined);
  if (!writes) return undefined;
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ composite: string; cells: Record<string, unknown> }>(
        statementOf(relation, asked, wantedOf(aliasOf(relation))),
      ),
    );
    if (row !== undefined) return row;
  } catch {
    // The error is reported when the statement runs as the persona.
  }
  const type = sql.id(relation.schema, relation.name);
  const start = before === undefined ? sql`null::${type}` : sql`${before.composite}::${type}`;
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ composite: string; cells: Record<string, unknown> }>(sql`
        select ${wantedOf(aliasOf(relation))}
        from jsonb_populate_record(${start}, ${JSON.stringify(asked.values)}::jsonb) as ${aliasOf(relation)}`),
    );
    return row;
  } catch {
    return undefined;
  }
}
