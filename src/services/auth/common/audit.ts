/** Writes the audit log, using upstream's action names. */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Claims } from '../../../platform/keys/types.ts';
import { insertAuditEntry } from './audit-queries.ts';
import type { Json, JsonObject } from './json.ts';
import type { User } from './rows.ts';

const logTypes = {
  login: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  token_revoked: 'token',
  token_refreshed: 'token',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  recovery_codes_created: 'factor',
  recovery_codes_deleted: 'factor',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  client_token_issued: 'token',
  api_key_created: 'user',
  api_key_revoked: 'user',
} as const;

export type AuditAction = keyof typeof logTypes;

export interface Actor {
  readonly id: string;
  readonly username: string;
  readonly viaSso: boolean;
  readonly name: Json | undefined;
}

export function userActor(user: User): Actor {
  return {
    id: user.id,
    username: user.phone || user.email || '',
    viaSso: user.is_sso_user,
    name: user.raw_user_meta_data?.full_name,
  };
}

/** Returns the actor that an audit log entry names. Service credentials don't belong to a user. */
export function adminActor(claims: Claims): Actor {
  return {
    id: '00000000-0000-0000-0000-000000000000',
    username: String(claims.role),
    viaSso: false,
    name: undefined,
  };
}

/** An entry of the audit log. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly traits?: JsonObject;
  /** The client's IP address. Upstream stores it for some actions only. */
  readonly ip?: string;
}

export async function audit(
  { clock }: { readonly clock: Clock },
  db: Queryable,
  actor: Actor | User,
  { action, traits, ip = '' }: AuditEntry,
): Promise<void> {
  await insertAuditEntry(db, auditPayload(actor, action, traits), ip, clock.now());
}

export function auditPayload(actor: Actor | User, action: AuditAction, traits?: JsonObject): JsonObject {
  const who = 'username' in actor ? actor : userActor(actor);
  return {
    action,
    actor_id: who.id,
    ...(who.name === undefined ? {} : { actor_name: who.name }),
    actor_username: who.username,
    actor_via_sso: who.viaSso,
    log_type: logTypes[action],
    ...(traits ? { traits } : {}),
  };
}
