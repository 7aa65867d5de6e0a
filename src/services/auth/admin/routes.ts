/** Declares /admin/users, /admin/users/:id, the routes for users' factors, and /admin/audit. */

import { audienceOf } from '../common/caller.ts';
import { linkHeader, parsePage } from '../common/pagination.ts';
import { renderFactor, renderUser } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { User } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requireFactor } from '../factors/factors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { createByAdmin } from './create-user.ts';
import { deleteByAdmin } from './delete-user.ts';
import { deleteFactorByAdmin, updateFactorByAdmin } from './factors.ts';
import { listAuditLog, listUsersByAdmin } from './lists.ts';
import { requireTarget } from './target.ts';
import { updateByAdmin } from './update-user.ts';

export function adminUserRoutes({ define }: Router, ctx: AuthContext): void {
  const target = ({ params }: Exchange): Promise<User> => requireTarget(ctx, params.userId ?? '');

  define('GET', '/admin/users', async (exchange) => {
    const { query, reply } = exchange;
    const caller = await requireAdmin(ctx, exchange.caller);
    const ascending = parseSort(query.getAll('sort'));
    const page = parsePage(query);
    const filter = query.get('filter') ?? '';
    const { users, total } = await listUsersByAdmin(ctx, caller, page, { ascending, filter });
    reply.header('link', linkHeader(pathBelowMount(exchange), query, page, total));
    reply.header('x-total-count', String(total));
    return { users: users.map(renderUser), aud: audienceOf(ctx, caller, caller.claims) };
  });

  define('POST', '/admin/users', async ({ caller, body }) => {
    const admin = await requireAdmin(ctx, caller);
    return renderUser(await retryOnConflict(() => createByAdmin(ctx, admin, body())));
  });

  define('GET', '/admin/users/:userId', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    return renderUser(await target(exchange));
  });

  define('PUT', '/admin/users/:userId', async (exchange) => {
    const caller = await requireAdmin(ctx, exchange.caller);
    const user = await target(exchange);
    await updateByAdmin(ctx, caller, user, exchange.body());
    return renderUser(user);
  });

  define('DELETE', '/admin/users/:userId', async (exchange) => {
    const caller = await requireAdmin(ctx, exchange.caller);
    const user = await target(exchange);
    const isSoft = exchange.hasBody && exchange.body().flag('should_soft_delete');
    await deleteByAdmin(ctx, caller, user, isSoft);
    return {};
  });

  define('GET', '/admin/users/:userId/factors', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    return (await target(exchange)).factors.map(renderFactor);
  });

  define('PUT', '/admin/users/:userId/factors/:factorId', async (exchange) => {
    const caller = await requireAdmin(ctx, exchange.caller);
    const user = await target(exchange);
    const factor = await requireFactor(ctx, exchange.params.factorId ?? '', user.id);
    const fields = exchange.body();
    const change = { friendlyName: fields.text('friendly_name'), phone: fields.text('phone') };
    await updateFactorByAdmin(ctx, caller, user, factor, change);
    return renderFactor(factor);
  });

  define('DELETE', '/admin/users/:userId/factors/:factorId', async (exchange) => {
    const caller = await requireAdmin(ctx, exchange.caller);
    const user = await target(exchange);
    const factor = await requireFactor(ctx, exchange.params.factorId ?? '', user.id);
    await deleteFactorByAdmin(ctx, caller, user, factor);
    return renderFactor(factor);
  });

  define('GET', '/admin/audit', async (exchange) => {
    const { query, reply } = exchange;
    await requireAdmin(ctx, exchange.caller);
    const page = parsePage(query);
    const filter = parseAuditFilter(query.get('query') ?? '');
    const { entries, total } = await listAuditLog(ctx, page, filter);
    reply.header('link', linkHeader(pathBelowMount(exchange), query, page, total));
    reply.header('x-total-count', String(total));
    return entries.map((entry) => ({ ...entry, created_at: toRfc3339(entry.created_at) }));
  });
}

/** Returns the path for pagination links, without the service's mount path. */
function pathBelowMount(exchange: Exchange): string {
  return exchange.path.replace(/^.*?(?=\/admin\/)/, '');
}

/** Whether the order is ascending. Accepts `created_at asc` and `created_at desc`. Defaults to descending. */
function parseSort(values: readonly string[]): boolean {
  let ascending = false;
  for (const value of values) {
    const [field = '', direction = ''] = value.split(/ (.*)/s, 2);
    if (field !== 'created_at')
      throw authError('validation_failed', `Bad Sort Parameters: bad field for sort '${field}'`);
    if (!/^(asc|desc)?$/i.test(direction)) {
      const problem = `bad direction for sort '${direction}', only 'asc' and 'desc' allowed`;
      throw authError('validation_failed', `Bad Sort Parameters: ${problem}`);
    }
    ascending = direction.toLowerCase() === 'asc';
  }
  return ascending;
}

const auditScopes: Readonly<Record<string, readonly string[]>> = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
};

function parseAuditFilter(query: string): { keys: readonly string[]; value: string } | undefined {
  if (query === '') return undefined;
  const separator = query.indexOf(':');
  const scope = query.slice(0, Math.max(0, separator));
  const keys = Object.hasOwn(auditScopes, scope) ? auditScopes[scope] : undefined;
  if (!keys) throw authError('validation_failed', `Invalid query scope: ${query}`);
  return { keys, value: query.slice(separator + 1) };
}
