/** Lists the valid tokens with which operators act as a user. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Impersonation } from './contract.ts';

/** Lists the valid tokens with which the operator acts as a user, latest first. */
export function activeImpersonations(
  db: Queryable,
  operatorId: string,
  now: string,
): Promise<Impersonation[]> {
  return db.query<Impersonation>(sql`
    select detail ->> 'userId' as "userId", target as name, detail ->> 'expiresAt' as "expiresAt"
    from _plinth.audit_log
    where operator_id = ${operatorId} and action = 'user.impersonate'
      and (detail ->> 'expiresAt')::timestamptz > ${now}
    order by id desc limit 5`);
}
