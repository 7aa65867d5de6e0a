/** The routes for the Jobs pages: scheduled jobs, database webhooks, requests queued by SQL, and queues. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Api } from '../routes/api.ts';
import { cronRoutes } from './cron.ts';
import { enabling, type JobDeps, readParts } from './parts.ts';
import { queueRoutes } from './queues.ts';
import { requestRoutes } from './requests.ts';
import { webhookRoutes } from './webhooks.ts';

export function jobRoutes(api: Api, deps: JobDeps): void {
  const { database, audit } = deps;
  const pool = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  route('GET /jobs', 'read', async () => ({ ...(await readParts(pool)), enabling }));
  route('POST /jobs/extensions', 'write', async (call) => {
    const { name } = await call.body();
    await pool.transaction((tx) => tx.query(sql.raw(enabling[name])), {
      settings: [
        ['statement_timeout', '20000'],
        ['lock_timeout', '5000'],
      ],
    });
    await audit(call, 'extension.enable', name);
    return readParts(pool);
  });
  cronRoutes(api, deps);
  webhookRoutes(api, deps);
  requestRoutes(api, deps);
  queueRoutes(api, deps);
}
