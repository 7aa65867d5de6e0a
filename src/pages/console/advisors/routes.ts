/** The routes for the advisors' findings and the statements that fix them. */
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { statementsOf } from '../core/statements-of.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { applyChanges, type WriteMigration } from '../schema/apply.ts';
import type { RecentAdvisors } from './recent.ts';

export interface AdvisorDeps {
  /** A pool whose connections log in as `postgres`, which owns the project's tables. */
  readonly pool: Pool;
  readonly advisors: RecentAdvisors;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
}

export function advisorRoutes(api: Api, { pool, advisors, audit, writeMigration }: AdvisorDeps): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /advisors', 'read', async () => ({ findings: [...(await advisors.fresh())] }));
  route('POST /advisors/fix', 'write', async (call) => {
    const { name, key, sql, migration } = await call.body();
    const find = async () =>
      (await advisors.fresh()).find((each) => each.name === name && each.cache_key === key);
    const finding = await find();
    if (finding?.fix === undefined)
      throw new ConsoleError('not_found', { message: 'This problem no longer exists.' });
    if (finding.fix.sql !== sql)
      throw new ConsoleError('refused', { message: 'The database has changed. Review the new statements.' });
    const statements = statementsOf(sql);
    const file = await applyChanges(
      pool,
      statements,
      migration === undefined ? undefined : { name: migration, write: writeMigration },
    );
    await audit(call, 'advisor.fix', key, {
      statements,
      ...(file === undefined ? {} : { migration: file }),
    });
    return { statements, file: file ?? null, isGone: (await find()) === undefined };
  });
}
