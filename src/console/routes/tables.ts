/** Tables and their rows. */
import type { Database } from '../../database/types.ts';
import { ConsoleError } from '../errors.ts';
import { findRelation, listRelations, type Relation } from '../tables/catalog.ts';
import { countRows, deleteRows, insertRow, readPage, readRow, updateRow } from '../tables/rows.ts';
import { type Api, type Call, parse } from './api.ts';
import * as schemas from './schemas.ts';

type Audit = (call: Call, action: string, detail: object) => Promise<void>;

export function tableRoutes(api: Api, database: Database, audit: Audit): void {
  const pool = database.pool('postgres');

  async function relationOf({ request }: Call): Promise<Relation> {
    const { schema = '', table = '' } = request.params as { schema?: string; table?: string };
    const relation = await findRelation(pool, schema, table);
    if (relation === undefined)
      throw new ConsoleError('not_found', { message: `There is no table ${schema}.${table}.` });
    return relation;
  }

  const named = (relation: Relation): { table: string } => ({ table: `${relation.schema}.${relation.name}` });
  const path = '/tables/:schema/:table';

  api.route('GET', '/tables', 'read', async () => ({ tables: await listRelations(pool) }));
  api.route('GET', path, 'read', async (call) => relationOf(call));
  api.route('GET', `${path}/rows`, 'read', async (call) => {
    const query = parse(schemas.page, call.request.query);
    return readPage(pool, await relationOf(call), query);
  });
  api.route('GET', `${path}/count`, 'read', async (call) => {
    const { filters } = parse(schemas.page, call.request.query);
    return { count: await countRows(pool, await relationOf(call), filters) };
  });
  api.route('GET', `${path}/row`, 'read', async (call) => {
    const row = await readRow(pool, await relationOf(call), parse(schemas.rowKey, call.request.query).key);
    if (row === undefined) throw new ConsoleError('gone');
    return { row };
  });
  api.route('PATCH', `${path}/rows`, 'write', async (call) => {
    const relation = await relationOf(call);
    const { key, changes, seen } = parse(schemas.update, call.request.body);
    const row = await updateRow(pool, relation, key, changes, seen);
    await audit(call, 'row.update', { ...named(relation), key, columns: Object.keys(changes) });
    return { row };
  });
  api.route('POST', `${path}/rows`, 'write', async (call) => {
    const relation = await relationOf(call);
    const row = await insertRow(pool, relation, parse(schemas.insert, call.request.body).values);
    await audit(call, 'row.insert', named(relation));
    return { row };
  });
  api.route('DELETE', `${path}/rows`, 'write', async (call) => {
    const relation = await relationOf(call);
    const { keys } = parse(schemas.remove, call.request.body);
    const deleted = await deleteRows(pool, relation, keys);
    await audit(call, 'row.delete', { ...named(relation), count: deleted });
    return { deleted };
  });
}
