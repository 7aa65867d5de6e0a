/**
 * Reads the pages of the list of users. A page begins after the last user on the previous page (keyset pagination), so
 * every page can be read from an index (`src/services/auth/sql/0001_users.sql`), regardless of its position.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, Setting, Transaction, TransactionOptions } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { UserCount, UserFilter, UserPage, UserRow, UserView } from './contract.ts';
import { isEmpty, matching } from './filters.ts';

export const usersPerPage = 50;
/** The maximum number of users that are counted. An unlimited count would take as long as reading every user. */
export const maxCounted = 10_000;
export const maxBulkUsers = 10_000;
/** A search for which a suitable index is missing must not occupy a connection for long. */
const listTimeoutMs = 15_000;

const timeout: Setting = ['statement_timeout', String(listTimeoutMs)];
const reading: TransactionOptions = { readOnly: true, settings: [timeout] };

/** The expression by which each order sorts. The index for the order contains the same expression. */
const sortValues = {
  created: sql`coalesce(u.created_at, '-infinity'::timestamptz)`,
  seen: sql`coalesce(u.last_sign_in_at, '-infinity'::timestamptz)`,
  email: sql`coalesce(lower(u.email), '')`,
} as const;
const sortTypes = { created: sql`timestamptz`, seen: sql`timestamptz`, email: sql`text` } as const;

/** Returns the ORDER BY expressions for pages of the list and for exports. */
export function orderOf({ sort, order }: Pick<UserView, 'sort' | 'order'>, isReversed = false): Sql {
  const direction = sql.raw((order === 'asc') === isReversed ? 'desc' : 'asc');
  return sql`${sortValues[sort]} ${direction}, u.id ${direction}`;
}

/** The user's name in the metadata. Different providers use different keys for the name. */
export const nameOf = sql`left(coalesce(nullif(u.raw_user_meta_data ->> 'full_name', ''),
  nullif(u.raw_user_meta_data ->> 'name', ''), nullif(u.raw_user_meta_data ->> 'user_name', '')), 200)`;
export const providersOf = sql`array(
  select distinct i.provider from auth.identities i where i.user_id = u.id order by i.provider)`;

type FoundRow = UserRow & { readonly place: string };

export async function listUsers(db: Pool, view: UserView): Promise<UserPage> {
  const isBackward = view.before !== undefined;
  const cursor = view.before ?? view.after;
  const rows = await timed(db, (tx) =>
    tx.query<FoundRow>(sql`
      select u.id, u.email, u.phone, ${nameOf} as name, ${providersOf} as providers, u.created_at, u.last_sign_in_at,
             u.email_confirmed_at, u.invited_at, u.phone_confirmed_at, u.banned_until, u.is_anonymous, u.is_sso_user,
             exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as has_factor,
             ${sortValues[view.sort]}::text as place
      from (
        select u.* from auth.users u
        where ${matching(view)}${cursor === undefined ? sql.empty : beyond(view, cursor, isBackward)}
        order by ${orderOf(view, isBackward)} limit ${usersPerPage + 1}
      ) u
      order by ${orderOf(view, isBackward)}`),
  );
  const hasMore = rows.length > usersPerPage;
  const page = rows.slice(0, usersPerPage);
  if (isBackward) page.reverse();
  const [first, last] = [page[0], page.at(-1)];
  return {
    users: page.map(({ place: _place, ...user }) => user),
    previous: first !== undefined && (isBackward ? hasMore : cursor !== undefined) ? cursorOf(first) : null,
    next: last !== undefined && (isBackward || hasMore) ? cursorOf(last) : null,
  };
}

/**
 * Counts the matching users up to {@link maxCounted}. If there are more users and the filter matches all users, the
 * number is PostgreSQL's estimate.
 */
export async function countUsers(db: Pool, filter: UserFilter): Promise<UserCount> {
  return timed(db, async (tx) => {
    const [counted] = await tx.query<{ count: number }>(sql`
      select count(*)::int8 as count
      from (select from auth.users u where ${matching(filter)} limit ${maxCounted + 1}) counted`);
    const count = counted?.count ?? 0;
    if (count <= maxCounted) return { count, precision: 'exact' };
    if (!isEmpty(filter)) return { count: maxCounted, precision: 'more' };
    const [estimate] = await tx.query<{ rows: number }>(
      sql`select reltuples::int8 as rows from pg_catalog.pg_class where oid = 'auth.users'::regclass`,
    );
    return { count: Math.max(estimate?.rows ?? 0, maxCounted), precision: 'estimate' };
  });
}

/** Returns the IDs of up to {@link maxBulkUsers} matching users, in the order of the list. */
export async function matchingIds(
  db: Pool,
  view: Pick<UserView, 'sort' | 'order'> & UserFilter,
): Promise<{ ids: string[]; isComplete: boolean }> {
  const rows = await timed(db, (tx) =>
    tx.query<{ id: string }>(sql`
      select u.id from auth.users u where ${matching(view)}
      order by ${orderOf(view)} limit ${maxBulkUsers + 1}`),
  );
  return {
    ids: rows.slice(0, maxBulkUsers).map(({ id }) => id),
    isComplete: rows.length <= maxBulkUsers,
  };
}

/**
 * Returns the providers that occur in the identities of all users. Reads only one index entry per provider instead of
 * every identity.
 */
export async function listProviders(db: Pool): Promise<string[]> {
  const rows = await timed(db, (tx) =>
    tx.query<{ provider: string }>(sql`
      with recursive found as (
        (select provider from auth.identities order by provider limit 1)
        union all
        select (select i.provider from auth.identities i where i.provider > found.provider order by i.provider limit 1)
        from found where found.provider is not null
      )
      select provider from found where provider is not null limit 200`),
  );
  return rows.map(({ provider }) => provider);
}

/** Returns a condition for the users that come after or before the user in a cursor. */
function beyond(view: UserView, cursor: string, isBackward: boolean): Sql {
  const [place, id] = parseCursor(cursor);
  const comparison = sql.raw((view.order === 'asc') === isBackward ? '<' : '>');
  return sql` and (${sortValues[view.sort]}, u.id) ${comparison} (${place}::${sortTypes[view.sort]}, ${id}::uuid)`;
}

const cursorOf = ({ place, id }: FoundRow): string =>
  Buffer.from(JSON.stringify([place, id])).toString('base64url');

function parseCursor(cursor: string): [string, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed) && parsed.length === 2 && parsed.every((part) => typeof part === 'string'))
      return parsed as [string, string];
  } catch {
    // The error that is thrown below also applies to text that isn't JSON.
  }
  throw new ConsoleError('bad_request', {
    message: 'The address of this page is no longer valid. Go back to the first page.',
  });
}

const statementCanceled = '57014';

/**
 * Runs a query with a time limit.
 *
 * @throws {ConsoleError} bad_request if the query takes too long because the filter can't use an index
 */
async function timed<T>(db: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work, reading);
  } catch (error) {
    if ((error as { code?: unknown }).code !== statementCanceled) throw error;
    throw new ConsoleError(
      'bad_request',
      {
        message: `This filter took longer than ${listTimeoutMs / 1000} seconds. Add a condition, or search for a whole ID.`,
      },
      { cause: error },
    );
  }
}
