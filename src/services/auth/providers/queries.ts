/** Statements on auth.identities. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import { type JsonObject, mergeMetadata } from '../common/json.ts';
import type { Identity } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

const columns = sql`
  id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email`;

export async function findIdentity(
  db: Queryable,
  providerId: string,
  provider: string,
): Promise<Identity | undefined> {
  const [identity] = await db.query<Identity>(sql`
    select ${columns} from auth.identities where provider_id = ${providerId} and provider = ${provider}`);
  return identity;
}

/** Locks a user's identities. No other transaction can add or remove an identity until this transaction ends. */
export async function lockIdentities(tx: Transaction, userId: string): Promise<Identity[]> {
  await tx.query(sql`select from auth.users where id = ${userId} for update`);
  return tx.query<Identity>(
    sql`select ${columns} from auth.identities where user_id = ${userId} order by created_at, id`,
  );
}

/**
 * Finds the identities of any user that have one of these email addresses, which must be in lowercase. Considers only
 * verified addresses. Otherwise, a provider identity with an unverified address would match the account of the
 * address's owner. Treats addresses from an SSO connection as verified.
 */
export function findIdentitiesByEmail(db: Queryable, emails: readonly string[]): Promise<Identity[]> {
  return db.query<Identity>(sql`
    select ${columns} from auth.identities
    where email = any(${emails}::text[])
      and (identity_data ->> 'email_verified' = 'true' or provider like 'sso:%')`);
}

/** Replaces the identity's data with the provider's latest data. */
export async function replaceIdentityData(
  db: Queryable,
  identity: Identity,
  data: JsonObject,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  identity.identity_data = withLowerEmail(data);
  identity.last_sign_in_at = now;
  identity.updated_at = now;
  await db.query(sql`
    update auth.identities
    set identity_data = ${identity.identity_data}, last_sign_in_at = ${now}, updated_at = ${now}
    where id = ${identity.id}`);
}

function withLowerEmail(data: JsonObject): JsonObject {
  return typeof data.email === 'string' ? { ...data, email: data.email.toLowerCase() } : data;
}

export async function countIdentities(db: Queryable, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from auth.identities where user_id = ${userId}`,
  );
  return row?.count ?? 0;
}

export interface NewIdentity {
  readonly userId: string;
  readonly provider: string;
  /** The provider's claims. `sub` is the provider's ID for the user. */
  readonly data: JsonObject & { readonly sub: string };
}

export async function insertIdentity(
  db: Queryable,
  { userId, provider, data }: NewIdentity,
  nowMs: number,
): Promise<Identity> {
  const now = fromMs(nowMs);
  const identityData = withLowerEmail(data);
  const identity: Identity = {
    id: randomUUID(),
    provider_id: data.sub,
    user_id: userId,
    identity_data: identityData,
    provider,
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
    email: typeof identityData.email === 'string' ? identityData.email : null,
  };
  await db.query(sql`
    insert into auth.identities
      (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${identity.id}, ${identity.provider_id}, ${userId}, ${identityData}, ${provider}, ${now}, ${now}, ${now})`);
  return identity;
}

export async function updateIdentityData(
  db: Queryable,
  identity: Identity,
  updates: JsonObject,
): Promise<void> {
  identity.identity_data = mergeMetadata(identity.identity_data, updates);
  await db.query(
    sql`update auth.identities set identity_data = ${identity.identity_data} where id = ${identity.id}`,
  );
}

export async function deleteIdentity(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.identities where id = ${id}`);
}

export async function renameIdentity(db: Queryable, id: string, providerId: string): Promise<void> {
  await db.query(sql`update auth.identities set provider_id = ${providerId} where id = ${id}`);
}

/** Lists the providers of a user's identities, oldest first. */
export async function listProviders(db: Queryable, userId: string): Promise<string[]> {
  const rows = await db.query<{ provider: string }>(sql`
    select provider from auth.identities where user_id = ${userId} group by provider order by min(created_at)`);
  return rows.map((row) => row.provider);
}
