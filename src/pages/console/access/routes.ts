/** Lists roles and privileges. They are changed by the routes in `../schema/`, like other objects. */
import type { Database } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import {
  listColumns,
  listDefaultPrivileges,
  listGrantedObjects,
  listOwners,
  listOwnSchemas,
  listRoles,
} from './queries.ts';

export function accessRoutes(api: Api, database: Database): void {
  const pool = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  route('GET /roles', 'read', async () => ({ roles: await listRoles(pool) }));
  route('GET /grants', 'read', async () => {
    const [objects, roles] = await Promise.all([listGrantedObjects(pool), listRoles(pool)]);
    return { objects, roles, hasMaintain: database.info.serverVersion >= 170_000 };
  });
  route('GET /grants/:schema/:table/columns', 'read', async ({ params: { schema, table } }) => {
    const columns = await listColumns(pool, schema, table);
    if (columns.length === 0)
      throw new ConsoleError('not_found', { message: `${schema}.${table} doesn't exist or has no columns.` });
    return { columns };
  });
  route('GET /default-privileges', 'read', async () => {
    const [rows, owners, schemas, roles] = await Promise.all([
      listDefaultPrivileges(pool),
      listOwners(pool),
      listOwnSchemas(pool),
      listRoles(pool),
    ]);
    return { rows, owners, schemas, roles: roles.map(({ name }) => name) };
  });
}
