/** Tables and their rows. */
import type { Database } from '../../database/types.ts';
import type { Audit } from '../audit.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { findRelation, listRelations, type Relation } from '../tables/catalog.ts';
import {
  countRows,
  deleteRows,
  insertRow,
  reading,
  readPage,
  readRow,
  updateRow,
  writing,
} from '../tables/rows.ts';
import { type Api, type Call, parse } from './api.ts';

export function tableRoutes(api: Api, database: Database, audit: Audit): void {
  const pool = database.pool('postgres');

  async function relationOf({ request }: Call): Promise<Relation> {
    const { schema = '', table = '' } = request.params as { schema?: string; table?: string };
    const relation = await findRelation(pool, schema, table);
    if (relation === undefined)
      throw new ConsoleError('not_found', { message: `There is no table ${schema}.${table}.` });
    return relation;
  }

  /** The table, when this operator may see its rows. */
  async function readableOf(call: Call): Promise<Relation> {
    const relation = await relationOf(call);
    if (!may(call.operator.role, permissionForRows(relation.schema)))
      throw new ConsoleError('forbidden', { message: `Your role may not read rows of ${relation.schema}.` });
    return relation;
  }

  const named = (relation: Relation): string => `${relation.schema}.${relation.name}`;
  const path = '/tables/:schema/:table';

  api.route('GET', '/tables', 'read', async () => ({ tables: await listRelations(pool) }));
  api.route('GET', path, 'read', async (call) => relationOf(call));
  api.route('GET', `${path}/rows`, 'read', async (call) => {
    const query = await parse('page', call.request.query);
    const relation = await readableOf(call);
    return pool.transaction((tx) => readPage(tx, relation, query), reading);
  });
  api.route('GET', `${path}/count`, 'read', async (call) => {
    const { filters } = await parse('page', call.request.query);
    const relation = await readableOf(call);
    return { count: await pool.transaction((tx) => countRows(tx, relation, filters), reading) };
  });
  api.route('GET', `${path}/row`, 'read', async (call) => {
    const { key } = await parse('rowKey', call.request.query);
    const relation = await readableOf(call);
    const row = await pool.transaction((tx) => readRow(tx, relation, key), reading);
    if (row === undefined) throw new ConsoleError('gone');
    return { row };
  });
  api.route('PATCH', `${path}/rows`, 'write', async (call) => {
    const { key, changes, seen } = await parse('update', call.request.body);
    const relation = await relationOf(call);
    const row = await pool.transaction((tx) => updateRow(tx, relation, key, changes, seen), writing);
    await audit(call, 'row.update', named(relation), { key, columns: Object.keys(changes) });
    return { row };
  });
  api.route('POST', `${path}/rows`, 'write', async (call) => {
    const { values } = await parse('insert', call.request.body);
    const relation = await relationOf(call);
    const row = await pool.transaction((tx) => insertRow(tx, relation, values), writing);
    const key = Object.fromEntries(
      relation.columns.filter((column) => column.primary_key).map(({ name }) => [name, row[name]]),
    );
    await audit(call, 'row.insert', named(relation), { key });
    return { row };
  });
  api.route('DELETE', `${path}/rows`, 'write', async (call) => {
    const { keys } = await parse('remove', call.request.body);
    const relation = await relationOf(call);
    const deleted = await pool.transaction((tx) => deleteRows(tx, relation, keys), writing);
    await audit(call, 'row.delete', named(relation), { count: deleted, keys });
    return { deleted };
  });
}
