/**
 * Statements on auth.oauth_client_states, which stores the secrets of provider sign-ins until the provider's response
 * arrives.
 */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';

export interface OAuthClientState {
  readonly provider_type: string;
  readonly code_verifier: string | null;
  readonly created_at: string;
}

/** Inserts a row and returns its ID. `secret` is the PKCE verifier or the OAuth 1.0a request token. */
export async function insertOAuthClientState(
  db: Queryable,
  providerType: string,
  secret: string,
  nowMs: number,
): Promise<string> {
  const id = randomUUID();
  await db.query(sql`
    insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
    values (${id}, ${providerType}, ${secret}, ${fromMs(nowMs)})`);
  return id;
}

/** Deletes and returns the row, so that each row can be read only once. */
export async function consumeOAuthClientState(
  db: Queryable,
  id: string,
): Promise<OAuthClientState | undefined> {
  const [row] = await db.query<OAuthClientState>(sql`
    delete from auth.oauth_client_states where id = ${id} returning provider_type, code_verifier, created_at`);
  return row;
}
