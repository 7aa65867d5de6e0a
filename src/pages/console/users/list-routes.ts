/** The routes that apply to many users: the list, its export, and bulk actions. */

import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/kernel/clock.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { Pool, TransactionWork } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { disconnected } from '../core/disconnect.ts';
import type { Api } from '../routes/api.ts';
import { type Printer, streamRows } from '../tables/export.ts';
import { readingLong } from '../tables/timing.ts';
import type { AuthUser, AuthUsers } from './auth.ts';
import type { BulkAction, BulkResult, UserFilter, UserView } from './contract.ts';
import { matching } from './filters.ts';
import { countUsers, listProviders, listUsers, matchingIds, nameOf, orderOf, providersOf } from './list.ts';

interface ListDeps {
  readonly db: Pool;
  readonly users: AuthUsers;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** The verbs with which bulk actions are recorded in the audit log. The verbs are the same as for a single user. */
const bulkVerbs = {
  ban: 'ban',
  unban: 'unban',
  'sign-out': 'end-sessions',
  delete: 'delete',
  'app-metadata': 'update',
} as const satisfies Record<BulkAction['kind'], string>;

export function listRoutes(api: Api, { db, users, clock, audit }: ListDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /users', 'read', async (call) => listUsers(db, await call.query()));
  route('GET /users/count', 'read', async (call) => countUsers(db, await call.query()));
  route('GET /users/ids', 'read', async (call) => matchingIds(db, await call.query()));
  route('GET /users/providers', 'read', async () => ({ providers: await listProviders(db) }));
  route('GET /users/export', 'read', async (call) => {
    const { format, ...view } = await call.query();
    const signal = disconnected(call.reply.raw);
    const run = <T>(work: TransactionWork<T>): Promise<T> => db.transaction(work, { ...readingLong, signal });
    await audit(call, 'user.export', '', { format, filter: view });
    const file = await exportUsers(run, view, format, signal);
    return call.reply
      .headers({
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="users.${format}"`,
      })
      .send(file);
  });
  route('POST /users/bulk', 'write', async (call) => {
    const { action, ids, operation } = await call.body();
    const result = await runBulk(users, action, ids, clock.now());
    const { kind, ...input } = action;
    await audit(call, `user.${bulkVerbs[kind]}`, '', {
      ...('values' in input ? { fields: Object.keys(input.values) } : input),
      operation,
      userIds: result.done,
      failedIds: result.failures.map(({ id }) => id),
    });
    return result;
  });
}

/**
 * More concurrent calls wouldn't be faster, because they would wait until a database connection of the auth service is
 * available.
 */
const concurrentUsers = 4;

/**
 * Applies an action to many users. The page sends the users in batches, so that it can show the progress, stop, and
 * retry failures. If the action fails for one user, the other users aren't affected.
 */
async function runBulk(
  users: AuthUsers,
  action: BulkAction,
  ids: readonly string[],
  nowMs: number,
): Promise<BulkResult> {
  const done: string[] = [];
  const undoable: string[] = [];
  const failures: { id: string; name: string; message: string }[] = [];
  const waiting = [...new Set(ids)];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      let user: AuthUser | undefined;
      try {
        user = await users.get(id);
        // If an already banned user is banned again, undoing this ban would also lift the earlier ban. Therefore, only
        // new bans can be undone.
        const wasBanned = isBanned(user, nowMs);
        await applyTo(users, action, user);
        done.push(id);
        if (action.kind === 'ban' && !wasBanned) undoable.push(id);
      } catch (error) {
        const name = user?.email || user?.phone || id;
        failures.push({ id, name, message: (error as Error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentUsers }, work));
  return { done, undoable, failures };
}

async function applyTo(users: AuthUsers, action: BulkAction, { id }: AuthUser): Promise<void> {
  switch (action.kind) {
    case 'ban':
      await users.update(id, { ban_duration: `${action.hours}h` });
      if (action.endSessions) await users.endSessions(id);
      return;
    case 'unban':
      await users.update(id, { ban_duration: 'none' });
      return;
    case 'sign-out':
      await users.endSessions(id);
      return;
    case 'delete':
      await users.remove(id);
      return;
    case 'app-metadata':
      await users.update(id, { app_metadata: action.values });
  }
}

function isBanned({ banned_until }: AuthUser, nowMs: number): boolean {
  return typeof banned_until === 'string' && Date.parse(banned_until) > nowMs;
}

/**
 * Exports users to a CSV or JSON file. The file doesn't contain password hashes, tokens or secrets of second factors.
 */
type UserExportFormat = 'csv' | 'json';

const columns = [
  'id',
  'email',
  'phone',
  'name',
  'providers',
  'created_at',
  'last_sign_in_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'banned_until',
  'is_anonymous',
  'is_sso_user',
  'factors',
  'app_metadata',
  'user_metadata',
] as const;

function exportUsers(
  run: <T>(work: TransactionWork<T>) => Promise<T>,
  view: UserFilter & Pick<UserView, 'sort' | 'order'>,
  format: UserExportFormat,
  signal: AbortSignal,
): Promise<Readable> {
  const rows = sql`
    select u.id, u.email, u.phone, ${nameOf} as name, ${providersOf} as providers, u.created_at, u.last_sign_in_at,
           u.email_confirmed_at, u.phone_confirmed_at, u.banned_until, u.is_anonymous, u.is_sso_user,
           array(select f.factor_type::text from auth.mfa_factors f
                 where f.user_id = u.id and f.status = 'verified' order by f.created_at) as factors,
           u.raw_app_meta_data as app_metadata, u.raw_user_meta_data as user_metadata
    from auth.users u where ${matching(view)} order by ${orderOf(view)}`;
  if (format === 'json')
    return streamRows(run, sql`select row_to_json(page.*)::text from (${rows}) page`, jsonPrinter, signal);
  const cells = columns.map((name) =>
    name === 'providers' || name === 'factors'
      ? sql`array_to_string(${sql.id(name)}, ' ')`
      : sql`${sql.id(name)}::text`,
  );
  return streamRows(run, sql`select ${sql.join(cells)} from (${rows}) page`, csvPrinter, signal);
}

const jsonPrinter: Printer = {
  head: '[',
  row: ([text], isFirst) => `${isFirst ? '\n' : ',\n'}${text}`,
  tail: '\n]\n',
};

/** Formulas in cells are neutralized, because users choose their own names and metadata. */
const csvPrinter: Printer = {
  head: csvLine(columns),
  row: (cells) => csvLine(cells.map(guardedCell)),
  tail: '',
};
