import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

export type Ceremony = 'create' | 'get';

export async function keepChallenge(
  db: Queryable,
  sessionId: string,
  challenge: string,
  ceremony: Ceremony,
): Promise<void> {
  await db.query(sql`
    update _plinth.operator_sessions
    set challenge = ${challenge}, challenge_for = ${ceremony}, challenge_at = now() where id = ${sessionId}`);
}

/**
 * Returns a challenge and deletes it. Returns undefined if the challenge doesn't exist, is older than five minutes, or
 * was issued for another purpose.
 */
export async function takeChallenge(
  db: Queryable,
  sessionId: string,
  ceremony: Ceremony,
): Promise<string | undefined> {
  const [row] = await db.query<{ challenge: string }>(sql`
    with held as (select id, challenge, challenge_for, challenge_at from _plinth.operator_sessions
      where id = ${sessionId} and challenge is not null for update),
    taken as (update _plinth.operator_sessions s set challenge = null, challenge_for = null, challenge_at = null
      from held where s.id = held.id)
    select challenge from held where challenge_for = ${ceremony} and challenge_at > now() - interval '5 minutes'`);
  return row?.challenge;
}

export interface PasskeyRow {
  id: Buffer;
  name: string;
  public_key: Buffer;
  sign_count: number;
  transports: string[];
  created_at: string;
  last_used_at: string | null;
}

export const listPasskeys = (db: Queryable, operatorId: string): Promise<PasskeyRow[]> =>
  db.query<PasskeyRow>(sql`
    select id, name, public_key, sign_count::float8 as sign_count, transports, created_at, last_used_at
    from _plinth.operator_passkeys where operator_id = ${operatorId} order by created_at, name`);

/** Adds a passkey. Returns false if the passkey is already registered. */
export async function addPasskey(
  db: Queryable,
  operatorId: string,
  key: Pick<PasskeyRow, 'id' | 'name' | 'public_key' | 'sign_count' | 'transports'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into _plinth.operator_passkeys (id, operator_id, name, public_key, sign_count, transports)
    values (${key.id}, ${operatorId}, ${key.name}, ${key.public_key}, ${key.sign_count}::bigint, ${key.transports}::text[])
    on conflict do nothing returning 1`);
  return rows.length > 0;
}

/**
 * Stores the passkey's new signature counter. Returns false if the counter didn't increase, which suggests that the
 * passkey was cloned or a response was replayed. Passkeys without a counter always send 0 (WebAuthn level 3, section
 * 6.1.1).
 */
export async function countUse(
  db: Queryable,
  id: Buffer,
  operatorId: string,
  signCount: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.operator_passkeys set sign_count = ${signCount}::bigint, last_used_at = now()
    where id = ${id} and operator_id = ${operatorId}
      and (sign_count < ${signCount}::bigint or (sign_count = 0 and ${signCount}::bigint = 0))
    returning 1`);
  return rows.length > 0;
}

export async function removePasskey(
  db: Queryable,
  id: Buffer,
  operatorId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(sql`
    delete from _plinth.operator_passkeys where id = ${id} and operator_id = ${operatorId} returning name`);
  return row?.name;
}
