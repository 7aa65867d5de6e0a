/** Statements on auth.webauthn_credentials and auth.webauthn_challenges. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import type { Passkey } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import type { KeyUse, NewKey } from './webauthn.ts';

const columns = sql`
  id, user_id, credential_id, public_key, sign_count, transports, backup_eligible, friendly_name, created_at,
  last_used_at`;

export function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  return db.query<Passkey>(
    sql`select ${columns} from auth.webauthn_credentials where user_id = ${userId} order by created_at, id`,
  );
}

export async function findPasskey(db: Queryable, id: string, userId: string): Promise<Passkey | undefined> {
  const [passkey] = await db.query<Passkey>(
    sql`select ${columns} from auth.webauthn_credentials where id = ${id} and user_id = ${userId}`,
  );
  return passkey;
}

/**
 * Counts a user's passkeys. Locks the user until the transaction ends, so that concurrent requests can't exceed the
 * limit.
 */
export async function countPasskeys(tx: Transaction, userId: string): Promise<number> {
  await tx.query(sql`select from auth.users where id = ${userId} for update`);
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from auth.webauthn_credentials where user_id = ${userId}`,
  );
  return row?.count ?? 0;
}

/** Inserts a passkey. Returns undefined if a user already has a passkey with this credential ID. */
export async function insertPasskey(
  db: Queryable,
  {
    userId,
    key,
    friendlyName,
  }: { readonly userId: string; readonly key: NewKey; readonly friendlyName: string },
  nowMs: number,
): Promise<Passkey | undefined> {
  const now = fromMs(nowMs);
  const [passkey] = await db.query<Passkey>(sql`
    insert into auth.webauthn_credentials
      (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
       backed_up, friendly_name, created_at, updated_at)
    values (${randomUUID()}, ${userId}, ${key.id}, ${key.publicKey}, ${key.attestationFormat}, ${key.aaguid},
            ${key.signCount}, ${JSON.stringify(key.transports)}::jsonb, ${key.backupEligible}, ${key.backedUp},
            ${friendlyName}, ${now}, ${now})
    on conflict (credential_id) do nothing
    returning ${columns}`);
  return passkey;
}

/**
 * Updates the signature counter after the user has used the passkey. Returns false if a concurrent use of the passkey
 * or of a copy has already raised the counter.
 */
export async function recordPasskeyUse(
  db: Queryable,
  id: string,
  use: KeyUse,
  nowMs: number,
): Promise<boolean> {
  const now = fromMs(nowMs);
  const rows = await db.query(sql`
    update auth.webauthn_credentials
    set sign_count = ${use.signCount}, backed_up = ${use.backedUp}, last_used_at = ${now}, updated_at = ${now}
    where id = ${id} and (sign_count < ${use.signCount} or (sign_count = 0 and ${use.signCount} = 0))
    returning id`);
  return rows.length > 0;
}

export async function renamePasskey(
  db: Queryable,
  id: string,
  friendlyName: string,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    update auth.webauthn_credentials set friendly_name = ${friendlyName}, updated_at = ${fromMs(nowMs)}
    where id = ${id}`);
}

export async function deletePasskey(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.webauthn_credentials where id = ${id}`);
}

export async function deletePasskeys(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`delete from auth.webauthn_credentials where user_id = ${userId}`);
}

export type PasskeyChallengeType = 'registration' | 'authentication';

/** Inserts a challenge. If `userId` is null, any user can respond to the challenge. */
export async function insertPasskeyChallenge(
  db: Queryable,
  challenge: {
    readonly userId: string | null;
    readonly type: PasskeyChallengeType;
    readonly session: JsonObject;
    readonly expiresAtMs: number;
  },
  nowMs: number,
): Promise<string> {
  const id = randomUUID();
  await db.query(sql`
    insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
    values (${id}, ${challenge.userId}, ${challenge.type}, ${challenge.session}, ${fromMs(nowMs)},
            ${fromMs(challenge.expiresAtMs)})`);
  return id;
}

/** Deletes and returns the challenge, so that a client can use it only once, whether or not the response is valid. */
export async function consumePasskeyChallenge(
  db: Queryable,
  id: string,
  type: PasskeyChallengeType,
  userId: string | null,
): Promise<{ readonly session_data: unknown; readonly expires_at: string } | undefined> {
  const [challenge] = await db.query<{ session_data: unknown; expires_at: string }>(sql`
    delete from auth.webauthn_challenges
    where id = ${id} and challenge_type = ${type} and user_id is not distinct from ${userId}::uuid
    returning session_data, expires_at`);
  return challenge;
}
