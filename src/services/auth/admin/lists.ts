/** Returns pages of the user list and of the audit log to administrators. */

import { listAuditEntries } from '../common/audit-queries.ts';
import type { AdminCaller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import type { Page } from '../common/pagination.ts';
import { listUsers } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';

export function listUsersByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  page: Page,
  options: { readonly ascending: boolean; readonly filter: string },
): ReturnType<typeof listUsers> {
  return listUsers(ctx.pool, audienceOf(ctx, caller, caller.claims), page, options);
}

export function listAuditLog(
  ctx: AuthContext,
  page: Page,
  filter: Parameters<typeof listAuditEntries>[2],
): ReturnType<typeof listAuditEntries> {
  return listAuditEntries(ctx.pool, page, filter);
}
