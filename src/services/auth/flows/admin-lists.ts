/** Returns pages of the user list and of the audit log to administrators. */

import type { AdminCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { Page } from '../core/pagination.ts';
import { listAuditEntries } from '../queries/audit.ts';
import { listUsers } from '../queries/users.ts';
import { audienceOf } from './audience.ts';

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
