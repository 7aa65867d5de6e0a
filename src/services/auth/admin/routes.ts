/**
 * Declares /admin/users, /admin/users/:userId, /admin/audit, /admin/generate_link and /invite. The routes for users'
 * factors, recovery codes and passkeys are declared in those features.
 */

import { audienceOf } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { linkHeader, type Page, parsePage } from '../common/pagination.ts';
import { renderUser } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import { toRfc3339 } from '../common/times.ts';
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import { createByAdmin } from './create-user.ts';
import { deleteByAdmin } from './delete-user.ts';
import { type GeneratedLink, generateLink, invite } from './links.ts';
import { updateByAdmin } from './update-user.ts';
import { listAuditLog, listUsersByAdmin, requireTarget } from './users.ts';

export function adminRoutes(route: Route): void {
  route({
    on: 'GET /admin/users',
    async run(ctx, exchange) {
      const { query } = exchange;
      const caller = await requireAdmin(ctx, exchange.caller);
      const ascending = parseSort(query.getAll('sort'));
      const page = parsePage(query);
      const filter = query.get('filter') ?? '';
      const { users, total } = await listUsersByAdmin(ctx, caller, page, { ascending, filter });
      setPageHeaders(exchange, page, total);
      return { users: users.map(renderUser), aud: audienceOf(ctx, caller, caller.claims) };
    },
  });

  route({
    on: 'POST /admin/users',
    async run(ctx, { caller, body }) {
      const admin = await requireAdmin(ctx, caller);
      return renderUser(await retryOnConflict(() => createByAdmin(ctx, admin, body())));
    },
  });

  route({
    on: 'GET /admin/users/:userId',
    async run(ctx, { caller, params }) {
      await requireAdmin(ctx, caller);
      return renderUser(await requireTarget(ctx, params.userId ?? ''));
    },
  });

  route({
    on: 'PUT /admin/users/:userId',
    async run(ctx, { caller, params, body }) {
      const admin = await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      await updateByAdmin(ctx, admin, user, body());
      return renderUser(user);
    },
  });

  route({
    on: 'DELETE /admin/users/:userId',
    async run(ctx, { caller, params, hasBody, body }) {
      const admin = await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      const isSoft = hasBody && body().flag('should_soft_delete');
      await deleteByAdmin(ctx, admin, user, isSoft);
      return {};
    },
  });

  route({
    on: 'GET /admin/audit',
    async run(ctx, exchange) {
      const { query } = exchange;
      await requireAdmin(ctx, exchange.caller);
      const page = parsePage(query);
      const filter = parseAuditFilter(query.get('query') ?? '');
      const { entries, total } = await listAuditLog(ctx, page, filter);
      setPageHeaders(exchange, page, total);
      return entries.map((entry) => ({ ...entry, created_at: toRfc3339(entry.created_at) }));
    },
  });

  route({
    on: 'POST /invite',
    async run(ctx, { caller, body }) {
      const admin = await requireAdmin(ctx, caller);
      return renderUser(await retryOnConflict(() => invite(ctx, admin, body())));
    },
  });

  route({
    on: 'POST /admin/generate_link',
    async run(ctx, { caller, body }) {
      const admin = await requireAdmin(ctx, caller);
      return renderLink(await retryOnConflict(() => generateLink(ctx, admin, body())));
    },
  });
}

/** Sets the headers with the total and with the links to the other pages. */
function setPageHeaders({ path, query, caller }: Exchange, page: Page, total: number): void {
  const pathBelowMount = path.replace(/^.*?(?=\/admin\/)/, '');
  caller.setHeader('link', linkHeader(pathBelowMount, query, page, total));
  caller.setHeader('x-total-count', String(total));
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

function renderLink(link: GeneratedLink): JsonObject {
  return {
    ...renderUser(link.user),
    action_link: link.actionLink,
    email_otp: link.otp,
    hashed_token: link.hashedToken,
    verification_type: link.type,
    redirect_to: link.redirectTo,
  };
}
