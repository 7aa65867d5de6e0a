/** Calls hooks implemented as PostgreSQL functions. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Transaction } from '../../../platform/database/types.ts';

/** Calls the hook function with the argument `body`, under a statement timeout. Returns the function's result. */
export async function callHookFunction(
  tx: Transaction,
  { schema, name }: { readonly schema: string; readonly name: string },
  body: string,
  timeoutMs: number,
): Promise<unknown> {
  await tx.query(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);
  const [row] = await tx.query<{ answer: unknown }>(sql`select ${sql.id(schema, name)}(${body}) as answer`);
  await tx.exec('set local statement_timeout to default');
  return row?.answer;
}
