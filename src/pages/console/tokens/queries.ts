import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OperatorRow } from '../queries.ts';

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly operator_name: string;
  readonly role: OperatorRow['role'];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly is_expired: boolean;
}

/** The role of the token or of its operator, whichever has fewer permissions. */
const effectiveRole = sql`case
  when 'read-only' in (t.role, o.role) then 'read-only'
  when 'developer' in (t.role, o.role) then 'developer'
  else o.role
end`;

/** Adds a token. Returns undefined if the operator already has a token with this name. */
export async function insertToken(
  db: Queryable,
  token: {
    operatorId: string;
    name: string;
    role: OperatorRow['role'] | null;
    hash: Buffer;
    lifetimeSeconds: number | null;
  },
): Promise<{ id: string; expires_at: string | null } | undefined> {
  const [row] = await db.query<{ id: string; expires_at: string | null }>(sql`
    insert into _plinth.operator_tokens (operator_id, name, role, token_hash, expires_at)
    values (${token.operatorId}, ${token.name}, ${token.role}, ${token.hash},
            now() + make_interval(secs => ${token.lifetimeSeconds}::float8))
    on conflict (operator_id, name) do nothing
    returning id, expires_at`);
  return row;
}

/**
 * Lists tokens.
 *
 * @param operatorId the operator whose tokens are listed, or undefined for the tokens of all operators
 */
export const listTokens = (db: Queryable, operatorId?: string): Promise<TokenRow[]> =>
  db.query(sql`
    select t.id, t.name, o.name as operator_name, ${effectiveRole} as role, t.created_at, t.expires_at,
           t.last_used_at, coalesce(t.expires_at <= now(), false) as is_expired
    from _plinth.operator_tokens t join _plinth.operators o on o.id = t.operator_id
    where ${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid
    order by o.name, t.name`);

/** Deletes a token. Returns undefined if the token has already been deleted or doesn't belong to `operatorId`. */
export async function deleteToken(
  db: Queryable,
  id: string,
  operatorId?: string,
): Promise<{ name: string; operator_name: string } | undefined> {
  const [row] = await db.query<{ name: string; operator_name: string }>(sql`
    delete from _plinth.operator_tokens t using _plinth.operators o
    where t.id = ${id} and o.id = t.operator_id
      and (${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid)
    returning t.name, o.name as operator_name`);
  return row;
}

export interface TokenUse extends OperatorRow {
  readonly token_name: string;
  readonly is_expired: boolean;
}

/** Finds a token. Also updates the time at which the token was last used, at most once per minute. */
export async function findToken(db: Queryable, hash: Buffer): Promise<TokenUse | undefined> {
  const [row] = await db.query<TokenUse>(sql`
    with used as (
      update _plinth.operator_tokens set last_used_at = now()
      where token_hash = ${hash} and (expires_at is null or expires_at > now())
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select o.id, o.name, ${effectiveRole} as role, t.name as token_name, coalesce(t.expires_at <= now(), false) as is_expired
    from _plinth.operator_tokens t join _plinth.operators o on o.id = t.operator_id
    where t.token_hash = ${hash}`);
  return row;
}
