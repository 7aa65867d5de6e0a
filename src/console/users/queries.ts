/**
 * Finds users by phone number or ID because the auth service's own list doesn't search these. Also lists tokens that
 * act as a user and are still valid.
 */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { Impersonation } from './contract.ts';

/** Matches the digits of a phone number with common separators, or the beginning of an ID. */
const phonePattern = /^\+?[\d\s().-]{3,}$/;
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{0,4}){0,4}[0-9a-f]{0,8}$/i;

export const isPhoneOrId = (search: string): boolean => phonePattern.test(search) || idPattern.test(search);

/**
 * Returns users in the format of the auth service's list, newest first. {@link isPhoneOrId} must be true for `search`.
 */
export async function findByPhoneOrId(
  db: Queryable,
  search: string,
  page: number,
  perPage: number,
): Promise<{ users: object[]; total: number }> {
  const digits = search.replaceAll(/\D/g, '');
  const phone = phonePattern.test(search) && digits !== '' ? `%${digits}%` : null;
  const id = idPattern.test(search) ? `${search.toLowerCase()}%` : null;
  const rows = await db.query<{ total: number }>(sql`
    select id, email, phone, created_at, last_sign_in_at, email_confirmed_at, phone_confirmed_at, banned_until,
           is_anonymous, raw_app_meta_data as app_metadata, count(*) over ()::int8 as total
    from auth.users
    where deleted_at is null and (phone like ${phone} or id::text like ${id})
    order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`);
  return { users: rows.map(({ total: _total, ...user }) => user), total: rows[0]?.total ?? 0 };
}

/** Lists the operator's tokens that act as a user and are still valid, latest first. */
export function activeImpersonations(
  db: Queryable,
  operatorId: string,
  now: string,
): Promise<Impersonation[]> {
  return db.query<Impersonation>(sql`
    select detail ->> 'userId' as "userId", target as name, detail ->> 'expiresAt' as "expiresAt"
    from _plinth.audit_log
    where operator_id = ${operatorId} and action = 'user.impersonate'
      and (detail ->> 'expiresAt')::timestamptz > ${now}
    order by id desc limit 5`);
}
