/** The routes that apply to many users: the list, its export, and bulk actions. */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Pool, TransactionWork } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { disconnected } from '../core/disconnect.ts';
import type { Api } from '../routes/api.ts';
import { readingLong } from '../tables/timing.ts';
import type { AuthUsers } from './auth.ts';
import { runBulk } from './bulk.ts';
import type { BulkAction } from './contract.ts';
import { exportUsers } from './export.ts';
import { countUsers, listProviders, listUsers, matchingIds } from './list.ts';

export interface ListDeps {
  readonly db: Pool;
  readonly users: AuthUsers;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** The verbs with which bulk actions are recorded in the audit log. The verbs are the same as for a single user. */
const bulkVerbs = {
  ban: 'ban',
  unban: 'unban',
  'sign-out': 'end-sessions',
  delete: 'delete',
  'app-metadata': 'update',
} as const satisfies Record<BulkAction['kind'], string>;

export function listRoutes(api: Api, { db, users, clock, audit }: ListDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /users', 'read', async (call) => listUsers(db, await call.query()));
  route('GET /users/count', 'read', async (call) => countUsers(db, await call.query()));
  route('GET /users/ids', 'read', async (call) => matchingIds(db, await call.query()));
  route('GET /users/providers', 'read', async () => ({ providers: await listProviders(db) }));
  route('GET /users/export', 'read', async (call) => {
    const { format, ...view } = await call.query();
    const signal = disconnected(call.reply.raw);
    const run = <T>(work: TransactionWork<T>): Promise<T> => db.transaction(work, { ...readingLong, signal });
    await audit(call, 'user.export', '', { format, filter: view });
    const file = await exportUsers(run, view, format, signal);
    return call.reply
      .headers({
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="users.${format}"`,
      })
      .send(file);
  });
  route('POST /users/bulk', 'write', async (call) => {
    const { action, ids, operation } = await call.body();
    const result = await runBulk(users, action, ids, clock.now());
    const { kind, ...input } = action;
    await audit(call, `user.${bulkVerbs[kind]}`, '', {
      ...('values' in input ? { fields: Object.keys(input.values) } : input),
      operation,
      userIds: result.done,
      failedIds: result.failures.map(({ id }) => id),
    });
    return result;
  });
}
