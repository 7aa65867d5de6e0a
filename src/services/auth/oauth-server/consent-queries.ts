/** Statements on auth.oauth_consents, which has a row for each combination of user and client. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OAuthConsent } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

/** Finds a user's consent. Returns undefined if the user has never consented or has revoked the consent. */
export async function findConsent(
  db: Queryable,
  userId: string,
  clientId: string,
): Promise<OAuthConsent | undefined> {
  const [row] = await db.query<OAuthConsent>(sql`
    select id, client_id, scopes, granted_at from auth.oauth_consents
    where user_id = ${userId} and client_id = ${clientId} and revoked_at is null`);
  return row;
}

export interface GrantedClient extends OAuthConsent {
  readonly client_name: string | null;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
}

/** Lists a user's consents, newest first, except consents for deleted clients. */
export function listConsents(db: Queryable, userId: string): Promise<GrantedClient[]> {
  return db.query<GrantedClient>(sql`
    select c.id, c.client_id, c.scopes, c.granted_at, o.client_name, o.client_uri, o.logo_uri
    from auth.oauth_consents c join auth.oauth_clients o on o.id = c.client_id and o.deleted_at is null
    where c.user_id = ${userId} and c.revoked_at is null order by c.granted_at desc, c.id`);
}

/** Stores a consent. Replaces an earlier consent, even if it was revoked. */
export async function upsertConsent(
  db: Queryable,
  consent: { readonly userId: string; readonly clientId: string; readonly scopes: readonly string[] },
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
    values (${randomUUID()}, ${consent.userId}, ${consent.clientId}, ${consent.scopes.join(' ')}, ${now})
    on conflict (user_id, client_id)
    do update set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`);
}

/**
 * Revokes a consent. The revocation time is never earlier than the grant time, so that the table's constraint is
 * satisfied even if the clock was set back.
 */
export async function revokeConsent(db: Queryable, id: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update auth.oauth_consents set revoked_at = greatest(${fromMs(nowMs)}::timestamptz, granted_at) where id = ${id}`);
}
