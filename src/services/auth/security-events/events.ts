/**
 * Defines the events in an account's timeline. Users can see their own events, and operators can see the events of all
 * users.
 */
import { isIPv4 } from 'node:net';
import { networkOf, siteOf } from '../../../base/shared/network/network-of.ts';
import type { JsonObject } from '../common/json.ts';
import { toRfc3339 } from '../common/times.ts';

const eventKinds = [
  'sign_in',
  'password_changed',
  'email_changed',
  'phone_changed',
  'factor_added',
  'factor_removed',
  'factor_removal_requested',
  'factor_removal_canceled',
  'factors_reset',
  'recovery_codes_created',
  'recovery_code_used',
  'passkey_added',
  'passkey_removed',
  'identity_linked',
  'identity_unlinked',
  'app_connected',
  'app_disconnected',
  'api_key_created',
  'api_key_revoked',
  'sessions_ended',
  'locked',
  'unlocked',
  'secured',
  'banned',
  'unbanned',
] as const;

export type EventKind = (typeof eventKinds)[number];

/**
 * The changes that add a factor, code, key, identity or app to an account. "This wasn't me" removes these additions.
 */
export const additions = [
  'factor_added',
  'recovery_codes_created',
  'passkey_added',
  'identity_linked',
  'app_connected',
  'api_key_created',
] as const satisfies readonly EventKind[];

/** The changes that "This wasn't me" undoes by restoring the previous value. */
export const contactChanges = ['email_changed', 'phone_changed'] as const satisfies readonly EventKind[];

export interface SecurityEvent {
  readonly id: string;
  readonly user_id: string;
  readonly kind: EventKind;
  /** The value is `operator` if an administrator made the change. */
  readonly actor: 'user' | 'operator';
  readonly details: JsonObject;
  readonly user_agent: string | null;
  readonly network: string | null;
  readonly created_at: string;
}

/**
 * Returns the first three parts of an IPv4 address, or the /48 prefix of an IPv6 address. This part of the address is
 * enough for a user to recognize a sign-in. Returns null if the address is unknown.
 *
 * @example approximateAddress('203.0.113.7') // '203.0.113.*'
 */
export function approximateAddress(ip: string): string | null {
  const site = siteOf(ip);
  if (site !== undefined) return site;
  const address = networkOf(ip);
  return isIPv4(address) ? address.replace(/\d+$/, '*') : null;
}

export function renderEvent(event: SecurityEvent): JsonObject {
  return {
    id: event.id,
    kind: event.kind,
    actor: event.actor,
    details: event.details,
    user_agent: event.user_agent,
    network: event.network,
    created_at: toRfc3339(event.created_at),
  };
}
