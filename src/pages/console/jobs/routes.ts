/** The routes for the Jobs pages: scheduled jobs, database webhooks, requests queued by SQL, and queues. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import type { Api } from '../routes/api.ts';
import { cronRoutes } from './cron.ts';
import { enabling, readParts } from './parts.ts';
import { queueRoutes } from './queues.ts';
import { requestRoutes } from './requests.ts';
import { webhookRoutes } from './webhooks.ts';

export function jobRoutes(api: Api, database: Database, audit: Audit): void {
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
  cronRoutes(api, database, audit);
  webhookRoutes(api, database, audit);
  requestRoutes(api, database, audit);
  queueRoutes(api, database, audit);
}
