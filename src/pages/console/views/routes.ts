/**
 * The routes of the page with views and materialized views. Changes of views use the routes of the schema
 * (`schema/routes.ts`).
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Setting } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { listDependents } from '../core/dependents.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { findView, initialRoles, listViews, type ViewFacts } from './queries.ts';
import { creationOf, recreationOf } from './source.ts';

export interface ViewDeps {
  readonly pool: Pool;
  readonly audit: Audit;
}

/** The lock timeout is short because, while the refresh waits for its lock, queries have to wait behind it. */
const refreshSettings: readonly Setting[] = [
  ['lock_timeout', '3000'],
  ['statement_timeout', '600000'],
];
/** The number of columns whose values are compared. */
const maxKeyColumns = 20;
const keySettings: readonly Setting[] = [['statement_timeout', '5000']];

export function viewRoutes(api: Api, { pool, audit }: ViewDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  async function found(view: { readonly schema: string; readonly name: string }): Promise<ViewFacts> {
    const facts = await findView(pool, view);
    if (facts === undefined)
      throw new ConsoleError('not_found', { message: `The view ${view.schema}.${view.name} doesn't exist.` });
    return facts;
  }

  async function materialized(view: { readonly schema: string; readonly name: string }): Promise<ViewFacts> {
    const facts = await found(view);
    if (facts.kind === 'materialized view') return facts;
    throw new ConsoleError('bad_request', {
      message: `${view.schema}.${view.name} isn't a materialized view, so it stores no data.`,
    });
  }

  route('GET /database/views', 'read', async () => ({ views: await listViews(pool) }));
  route('GET /database/view', 'read', async ({ query, operator }) => {
    const view = await found(await query());
    const { oid, acl, query: _query, options, triggers, column_comments, ...shown } = view;
    // The arguments of triggers can contain keys.
    const readable = may(operator.role, 'secrets') ? view : { ...view, triggers: [] };
    const [initial, dependents] = await Promise.all([
      initialRoles(pool, view.schema),
      listDependents(pool, 'pg_class', oid),
    ]);
    return {
      ...shown,
      source: view.kind === 'view' ? creationOf(view) : null,
      recreation: recreationOf(readable, initial),
      grants: [...Map.groupBy(acl, ({ role }) => role)].map(([role, grants]) => ({
        role,
        privileges: grants.map(({ privilege, column }) =>
          column == null ? privilege : `${privilege} (${column})`,
        ),
      })),
      dependents,
    };
  });
  // Requires the `write` permission, because the answer takes a scan for each column.
  route('GET /database/view/keys', 'write', async ({ query }) => {
    const { schema, name, columns } = await materialized(await query());
    const unique: string[] = [];
    await pool.transaction(
      async (tx) => {
        for (const column of columns.slice(0, maxKeyColumns))
          if (
            await tx
              .savepoint((inner) => isUnique(inner, { schema, name, column: column.name }))
              .catch(() => false)
          )
            unique.push(column.name);
      },
      { readOnly: true, settings: keySettings },
    );
    return { columns: unique };
  });
  route('POST /database/view/refresh', 'write', async (call) => {
    const { concurrently, ...name } = await call.body();
    await materialized(name);
    const option = sql.raw(concurrently ? 'concurrently ' : '');
    await pool.transaction(
      (tx) => tx.query(sql`refresh materialized view ${option}${sql.id(name.schema, name.name)}`),
      { settings: refreshSettings },
    );
    await audit(call, 'view.refresh', `${name.schema}.${name.name}`, { concurrently });
  });
}

/** Types without an equality operator, such as json, have no unique values. */
async function isUnique(
  db: Pick<Pool, 'query'>,
  { schema, name, column }: { readonly schema: string; readonly name: string; readonly column: string },
): Promise<boolean> {
  const [row] = await db.query<{ unique: boolean }>(sql`
    select count(*) > 0 and count(*) = count(distinct ${sql.id(column)}) as unique from ${sql.id(schema, name)}`);
  return row?.unique === true;
}
