/** Statements on auth.one_time_tokens, which stores the hashes of codes and links that users have received. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OneTimeTokenType } from '../common/rows.ts';

interface NewOneTimeToken {
  readonly userId: string;
  readonly type: OneTimeTokenType;
  readonly hash: string;
  /** The address or number to which the token was sent. */
  readonly relatesTo: string;
}

/** Replaces the user's token of this type. */
export async function setOneTimeToken(
  db: Queryable,
  { userId, type, hash, relatesTo }: NewOneTimeToken,
): Promise<void> {
  await db.query(sql`
    insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
    values (${randomUUID()}, ${userId}, ${type}, ${hash}, ${relatesTo.toLowerCase()},
            now() at time zone 'UTC', now() at time zone 'UTC')
    on conflict (user_id, token_type) do update
      set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
          created_at = excluded.created_at, updated_at = excluded.updated_at`);
}

export interface OneTimeToken {
  readonly user_id: string;
  readonly token_type: OneTimeTokenType;
}

export async function findOneTimeToken(
  db: Queryable,
  hash: string,
  types: readonly OneTimeTokenType[],
): Promise<OneTimeToken | undefined> {
  const [row] = await db.query<OneTimeToken>(sql`
    select user_id, token_type from auth.one_time_tokens
    where token_hash = ${hash} and token_type = any(${types}::auth.one_time_token_type[]) limit 1`);
  return row;
}

/** Returns the ID of the user to whom a code for an email change was sent at this address. */
export async function findOwnerOfEmailChange(
  db: Queryable,
  code: { readonly email: string; readonly hashes: readonly string[]; readonly isDouble: boolean },
): Promise<string | undefined> {
  const types: readonly OneTimeTokenType[] = code.isDouble
    ? ['email_change_token_current', 'email_change_token_new']
    : ['email_change_token_new'];
  const [row] = await db.query<{ user_id: string }>(sql`
    select t.user_id from auth.one_time_tokens t join auth.users u on u.id = t.user_id
    where t.relates_to = ${code.email.toLowerCase()} and t.token_type = any(${types}::auth.one_time_token_type[])
      and case t.token_type when 'email_change_token_current' then u.email_change_token_current
          else u.email_change_token_new end = any(${code.hashes}::text[])
    limit 1`);
  return row?.user_id;
}

export async function deleteOneTimeTokens(
  db: Queryable,
  userId: string,
  type?: OneTimeTokenType,
): Promise<void> {
  const ofType = type === undefined ? sql.empty : sql` and token_type = ${type}`;
  await db.query(sql`delete from auth.one_time_tokens where user_id = ${userId}${ofType}`);
}
