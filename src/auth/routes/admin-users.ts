/** /admin/users, /admin/users/:id and their factors, /admin/audit. */
import type { AuthContext } from '../context.ts';
import { amrMethodOfFactor } from '../core/claims.ts';
import { parsePhone } from '../core/contact.ts';
import { linkHeader, parsePage } from '../core/pagination.ts';
import { renderFactor, renderUser } from '../core/render-user.ts';
import { toRfc3339 } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { createByAdmin, deleteByAdmin, updateByAdmin } from '../flows/admin-users.ts';
import { adminActor, audit } from '../flows/audit.ts';
import { forgetIdleRecoveryCodes } from '../flows/recovery-codes.ts';
import { despiteRivals } from '../flows/rivals.ts';
import { isUuid, requireAdmin } from '../http/authenticate.ts';
import { audienceOf, type Exchange } from '../http/exchange.ts';
import { listAuditEntries } from '../queries/audit.ts';
import { deleteFactor, updateFactor } from '../queries/factors.ts';
import { downgradeSessions } from '../queries/sessions.ts';
import { findUserById, listUsers } from '../queries/users.ts';
import type { User } from '../rows.ts';
import { requireFactor } from './factors.ts';
import type { Define } from './route.ts';

export function adminUserRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/admin/users', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    const aud = audienceOf(ctx, exchange, claims);
    const ascending = parseSort(exchange.query.getAll('sort'));
    const page = parsePage(exchange.query);
    const filter = exchange.query.get('filter') ?? '';
    const { users, total } = await listUsers(ctx.pool, aud, page, { ascending, filter });
    exchange.reply.header('link', linkHeader(pathBelowMount(exchange), exchange.query, page, total));
    exchange.reply.header('x-total-count', String(total));
    return { users: users.map(renderUser), aud };
  });

  define('POST', '/admin/users', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    return renderUser(await despiteRivals(() => createByAdmin(ctx, exchange, claims)));
  });

  define('GET', '/admin/users/:userId', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return renderUser(await requireTarget(ctx, exchange));
  });

  define('PUT', '/admin/users/:userId', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    await updateByAdmin(ctx, exchange, claims, user);
    return renderUser(user);
  });

  define('DELETE', '/admin/users/:userId', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    const isSoft = exchange.hasBody && exchange.body().flag('should_soft_delete');
    await deleteByAdmin(ctx, claims, user, isSoft);
    return {};
  });

  define('GET', '/admin/users/:userId/factors', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return (await requireTarget(ctx, exchange)).factors.map(renderFactor);
  });

  define('PUT', '/admin/users/:userId/factors/:factorId', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    const factor = await requireFactor(ctx, exchange.params.factorId ?? '', user.id);
    const body = exchange.body();
    const friendlyName = body.text('friendly_name');
    const phone = body.text('phone');
    const changesPhone = phone !== '' && factor.factor_type === 'phone';
    const patch = {
      ...(friendlyName === '' ? {} : { friendly_name: friendlyName }),
      ...(changesPhone ? { phone: parsePhone(phone) } : {}),
    };
    await ctx.pool.transaction(async (tx) => {
      if (Object.keys(patch).length > 0) await updateFactor(tx, factor, patch, ctx.clock.now());
      const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type };
      await audit(ctx, tx, adminActor(claims), 'factor_updated', { traits });
    });
    return renderFactor(factor);
  });

  define('DELETE', '/admin/users/:userId/factors/:factorId', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    const factor = await requireFactor(ctx, exchange.params.factorId ?? '', user.id);
    await ctx.pool.transaction(async (tx) => {
      const traits = { user_id: user.id, factor_id: factor.id };
      await audit(ctx, tx, user, 'factor_deleted', { ip: exchange.ip, traits });
      await deleteFactor(tx, factor.id);
      await downgradeSessions(tx, user.id, factor.id, amrMethodOfFactor[factor.factor_type]);
      await forgetIdleRecoveryCodes(ctx, tx, user.id);
    });
    return renderFactor(factor);
  });

  define('GET', '/admin/audit', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const page = parsePage(exchange.query);
    const filter = parseAuditFilter(exchange.query.get('query') ?? '');
    const { entries, total } = await listAuditEntries(ctx.pool, page, filter);
    exchange.reply.header('link', linkHeader(pathBelowMount(exchange), exchange.query, page, total));
    exchange.reply.header('x-total-count', String(total));
    return entries.map((entry) => ({ ...entry, created_at: toRfc3339(entry.created_at) }));
  });
}

/** Links name the path as the service sees it behind its gateway. */
function pathBelowMount(exchange: Exchange): string {
  return exchange.path.replace(/^.*?(?=\/admin\/)/, '');
}

/** The user of the path. Throws 404. */
export async function requireTarget(ctx: AuthContext, exchange: Exchange): Promise<User> {
  const id = exchange.params.userId ?? '';
  if (!isUuid(id)) throw authError('validation_failed', 'user_id must be an UUID', { status: 404 });
  let user: User | undefined;
  try {
    user = await findUserById(ctx.pool, id);
  } catch (cause) {
    throw internalError('Database error loading user', cause);
  }
  if (!user) throw authError('user_not_found');
  return user;
}

/** `created_at asc` or `created_at desc`, the latter by default. */
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
