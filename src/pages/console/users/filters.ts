/** Converts the filters on the users page to SQL conditions on `auth.users u`. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { escapeLike } from '../../../base/shared/sql/escape-like.ts';
import type { UserFilter } from './contract.ts';

/** The instance to which all users belong. The auth service ignores users that belong to other instances. */
const instance = '00000000-0000-0000-0000-000000000000';

/** Matches a phone number or a part of it, with or without common separators. */
const phonePattern = /^\+?[\d\s().-]{3,}$/;
/** Matches a user ID, or at least the first eight digits of an ID. */
const idPattern = /^[0-9a-f]{8}(?:-?[0-9a-f]{0,4}){0,4}[0-9a-f]{0,8}$/i;

/** Returns the condition that a user must satisfy to be listed. */
export function matching(filter: UserFilter): Sql {
  return sql.join(
    [sql`u.instance_id = ${instance} and u.deleted_at is null`, ...conditionsOf(filter)],
    ' and ',
  );
}

/** Whether the filter matches all users. */
export const isEmpty = (filter: UserFilter): boolean => conditionsOf(filter).length === 0;

function conditionsOf(filter: UserFilter): Sql[] {
  const { search, factor, provider, confirmed, invited, banned, guest, sso, signedIn } = filter;
  const conditions: (Sql | undefined)[] = [
    searched(search.trim()),
    either(
      factor,
      sql`exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')`,
    ),
    provider === undefined
      ? undefined
      : sql`exists (select from auth.identities i where i.user_id = u.id and i.provider = ${provider})`,
    either(confirmed, sql`u.confirmed_at is not null`),
    either(invited, sql`u.invited_at is not null and u.confirmed_at is null`),
    banned === undefined
      ? undefined
      : banned === 'yes'
        ? sql`u.banned_until > now()`
        : sql`(u.banned_until is null or u.banned_until <= now())`,
    either(guest, sql`u.is_anonymous`),
    either(sso, sql`u.is_sso_user`),
    // There is an index on this expression. For users who have never signed in, the value is lower than for all other
    // users.
    signedIn === undefined
      ? undefined
      : sql`coalesce(u.last_sign_in_at, '-infinity'::timestamptz) ${sql.raw(signedIn === 'yes' ? '>' : '=')} '-infinity'`,
    from(sql`coalesce(u.created_at, '-infinity'::timestamptz)`, filter.createdFrom),
    before(sql`coalesce(u.created_at, '-infinity'::timestamptz)`, filter.createdTo),
    from(sql`coalesce(u.last_sign_in_at, '-infinity'::timestamptz)`, filter.seenFrom),
    before(sql`coalesce(u.last_sign_in_at, '-infinity'::timestamptz)`, filter.seenTo),
  ];
  return conditions.filter((condition) => condition !== undefined);
}

const either = (choice: 'yes' | 'no' | undefined, condition: Sql): Sql | undefined =>
  choice === undefined ? undefined : choice === 'yes' ? condition : sql`not (${condition})`;

const from = (value: Sql, time: string | undefined): Sql | undefined =>
  time === undefined ? undefined : sql`${value} >= ${time}::timestamptz`;

const before = (value: Sql, time: string | undefined): Sql | undefined =>
  time === undefined ? undefined : sql`${value} < ${time}::timestamptz`;

/**
 * Finds users by a part of their email address, phone number or name, or by the beginning of their ID. If the search
 * text looks like a phone number or an ID, names aren't searched.
 */
function searched(search: string): Sql | undefined {
  if (search === '') return undefined;
  const ways: Sql[] = [];
  const digits = search.replaceAll(/\D/g, '');
  if (phonePattern.test(search) && digits !== '') ways.push(sql`u.phone like ${`%${digits}%`}`);
  const range = idPattern.test(search) ? idRange(search) : undefined;
  if (range !== undefined) ways.push(sql`u.id between ${range[0]}::uuid and ${range[1]}::uuid`);
  if (ways.length === 0) {
    const pattern = `%${escapeLike(search)}%`;
    ways.push(
      sql`u.email like ${pattern.toLowerCase()}`,
      sql`u.raw_user_meta_data ->> 'full_name' ilike ${pattern}`,
      sql`u.raw_user_meta_data ->> 'name' ilike ${pattern}`,
    );
  }
  return sql`(${sql.join(ways, ' or ')})`;
}

/** Returns the lowest and highest ID that begin with these digits. */
function idRange(text: string): [string, string] | undefined {
  const hex = text.replaceAll('-', '').toLowerCase();
  return hex.length > 32 ? undefined : [hex.padEnd(32, '0'), hex.padEnd(32, 'f')];
}
