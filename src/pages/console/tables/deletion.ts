/**
 * Deletes rows in such a way that they can be restored. Determines which other rows a deletion affects, and returns the
 * complete values of the deleted rows.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { type Access, nameOf, personaOf } from './access.ts';
import type { DeletedRows, DeleteEffect, Relation } from './contract.ts';
import { columnOf, identifying, where } from './core/filters.ts';
import { table } from './read.ts';
import { reading, writing } from './timing.ts';
import { inScope, type Scope, scoped } from './write.ts';

/** The maximum number of deleted rows that are returned. If more rows are deleted, the deletion can't be undone. */
const maxRestoredRows = 1000;
/** The maximum total size of the deleted rows as text. */
const maxRestoredBytes = 4_000_000;
/** The maximum number of referencing rows to count. The limit keeps counting fast. */
const maxCounted = 10_000;
/** PostgreSQL allows at most 65,535 parameters in a statement (frontend/backend protocol, Bind). */
const maxParameters = 60_000;

/** Whether all rows in the scope could be restored after being deleted. */
async function isRestorable(db: Queryable, relation: Relation, scope: Scope): Promise<boolean> {
  const [row] = await db.query<{ rows: number; bytes: number }>(sql`
    select count(*)::float8 as rows, coalesce(sum(octet_length(row(page.*)::text)), 0)::float8 as bytes
    from (select * from ${table(relation)} ${scoped(relation, scope)} limit ${maxRestoredRows + 1}::int) as page`);
  return row !== undefined && row.rows <= maxRestoredRows && row.bytes <= maxRestoredBytes;
}

interface Reference {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: readonly string[];
  readonly action: DeleteEffect['action'];
  readonly deeper: boolean;
}

/**
 * Returns the foreign keys through which other rows reference rows in the scope, each with the number of referencing
 * rows.
 */
async function deleteEffects(tx: Transaction, relation: Relation, scope: Scope): Promise<DeleteEffect[]> {
  const effects: DeleteEffect[] = [];
  const condition = inScope(relation, scope);
  for (const { references, columns, ...reference } of await referencesTo(tx, relation)) {
    const isOwn = reference.schema === relation.schema && reference.table === relation.name;
    // Referencing rows that are also in the scope aren't counted, because they will be deleted anyway.
    const remaining = isOwn ? sql`(${condition ?? sql`true`}) is not true` : undefined;
    const names = (list: readonly string[]): Sql => sql.join(list.map((name) => sql.id(name)));
    const [row] = await tx.query<{ count: number }>(sql`
      select count(*)::float8 as count from (
        select from ${sql.id(reference.schema, reference.table)}
        ${where(sql`(${names(columns)}) in (select ${names(references)} from ${table(relation)} ${where(condition)})`, remaining)}
        limit ${maxCounted + 1}::int) as page`);
    const rows = row?.count ?? 0;
    if (rows > 0)
      effects.push({ ...reference, columns, rows: Math.min(rows, maxCounted), isMore: rows > maxCounted });
  }
  return effects;
}

const referencesTo = (db: Queryable, relation: Relation): Promise<Reference[]> =>
  db.query(sql`
    select n.nspname as schema, c.relname as table,
           (select array_agg(a.attname::text order by u.place) from unnest(k.conkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
           (select array_agg(a.attname::text order by u.place) from unnest(k.confkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number) as references,
           case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' else 'reject' end as action,
           exists (select from pg_constraint d where d.confrelid = k.conrelid and d.contype = 'f'
                     and d.confdeltype <> 'a' and d.conrelid <> k.conrelid) as deeper
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' and k.conparentid = 0
      and k.confrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         where n.nspname = ${relation.schema} and c.relname = ${relation.name})
    order by 1, 2, k.conname`);

const tooLarge = (): ConsoleError =>
  new ConsoleError('not_as_told', {
    message: "There are now too many rows to restore, or they're too large. Nothing was deleted.",
  });

/**
 * Deletes the rows in the scope and returns their values.
 * @throws {ConsoleError} not_as_told if there are too many rows to restore or the rows are too large to restore
 */
export async function deleteForUndo(tx: Transaction, relation: Relation, scope: Scope): Promise<DeletedRows> {
  if (!(await isRestorable(tx, relation, scope))) throw tooLarge();
  const columns = relation.columns.filter(({ generated }) => !generated).map(({ name }) => name);
  const { rows } = await tx.queryText(sql`
    delete from ${table(relation)} ${scoped(relation, scope)}
    returning ${columns.length === 0 ? sql.raw('null') : sql.join(columns.map((name) => sql`${sql.id(name)}::text`))}`);
  // The rows may have become larger since their size was measured.
  const size = rows.reduce((sum, row) => row.reduce((rest, cell) => rest + (cell?.length ?? 0), sum), 0);
  if (rows.length > maxRestoredRows || size > maxRestoredBytes) throw tooLarge();
  return { columns, rows };
}

/**
 * Inserts deleted rows again with the same keys. All rows are inserted in one statement because they can reference each
 * other. Returns the number of restored rows.
 * @throws {ConsoleError} bad_request, not_changed
 */
async function restoreRows(
  tx: Transaction,
  relation: Relation,
  { columns, rows }: DeletedRows,
): Promise<number> {
  if (columns.length === 0 || rows.some((row) => row.length !== columns.length))
    throw new ConsoleError('bad_request', { message: 'Each row must have a value for each column.' });
  const names = sql.join(columns.map((name) => columnOf(relation, name)));
  const perStatement = Math.max(1, Math.floor(maxParameters / columns.length));
  let restored = 0;
  for (let start = 0; start < rows.length; start += perStatement) {
    const values = rows
      .slice(start, start + perStatement)
      .map((row) => sql`(${sql.join(row.map((value) => sql`${value}`))})`);
    const { commandTag } = await tx.queryText(sql`
      insert into ${table(relation)} (${names}) overriding system value values ${sql.join(values)}`);
    restored += Number(/\d+$/.exec(commandTag)?.[0] ?? 0);
  }
  // A trigger can prevent rows from being inserted.
  if (restored !== rows.length) throw new ConsoleError('not_changed');
  return restored;
}

/** The maximum number of row keys that are recorded in the audit log. */
const shownKeys = 100;

/** The routes that show the effects of a deletion and restore deleted rows. */
export function deletionRoutes(api: Api, { access, audit }: { access: Access; audit: Audit }): void {
  const route = api.feature(() => import('./contract.ts'));

  route('POST /tables/:schema/:table/delete-effects', 'write', async (call) => {
    const { scope } = await call.body();
    const relation = await access.relation(call);
    const restorable = await access.run(call, (tx) => isRestorable(tx, relation, scope), reading);
    // Foreign keys affect all rows, including rows that the persona can't see.
    const effects = await access.runAsOperator(call, (tx) => deleteEffects(tx, relation, scope), reading);
    return { effects, restorable };
  });
  route('POST /tables/:schema/:table/restore', 'write', async (call) => {
    const deleted = await call.body();
    const relation = await access.relation(call);
    const { result: restored } = await access.change(call, (tx) => restoreRows(tx, relation, deleted), {
      ...writing,
      action: 'row.restore',
    });
    const names = identifying(relation).filter((name) => deleted.columns.includes(name));
    await audit(call, 'row.restore', nameOf(relation), {
      count: restored,
      keys: deleted.rows
        .slice(0, shownKeys)
        .map((row) => Object.fromEntries(names.map((name) => [name, row[deleted.columns.indexOf(name)]]))),
      ...personaOf(call),
    });
    return { restored };
  });
}
