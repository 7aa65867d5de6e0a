/**
 * Records events in the account's timeline, in the transaction of the change that each event describes (decision 64).
 * Also stores the links with which users undo these changes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { deviceOf } from '../../../base/shared/account.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { approximateAddress, contactChanges, type EventKind, type SecurityEvent } from './events.ts';
import { insertEvent, insertSignIn, listEvents } from './queries.ts';
import { deleteReversals, insertReversal } from './reversal-queries.ts';

const maxUserAgentLength = 500;

export interface AccountChange {
  readonly userId: string;
  readonly kind: EventKind;
  readonly details?: JsonObject;
}

/** Records an event. Returns undefined if the database has no table for events. */
export async function recordEvent(
  ctx: AuthContext,
  db: Queryable,
  caller: Pick<Caller, 'ip' | 'userAgent'>,
  { userId, kind, details = {} }: AccountChange,
): Promise<SecurityEvent | undefined> {
  if (!ctx.hasOwnTables) return undefined;
  const event = { userId, kind, actor: 'user', details, ...placeOf(caller) } as const;
  return insertEvent(db, event, ctx.clock.now());
}

/** The changes that an operator makes to recover an account from an attacker. */
const repairs: readonly EventKind[] = [...contactChanges, 'password_changed'];

/**
 * Records a change made by an administrator. Doesn't record the IP address, because it belongs to the administrator,
 * not to the user. If the change recovers the account, invalidates the links in earlier notices, because an attacker
 * may have received these links.
 */
export async function recordOperatorEvent(
  ctx: AuthContext,
  tx: Transaction,
  { userId, kind, details = {} }: AccountChange,
): Promise<undefined> {
  if (!ctx.hasOwnTables) return;
  if (repairs.includes(kind)) await deleteReversals(tx, userId);
  const event = { userId, kind, actor: 'operator', details, userAgent: null, network: null } as const;
  await insertEvent(tx, event, ctx.clock.now());
}

/** Records a sign-in and the device that was used. */
export async function recordSignIn(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { userId, details }: { readonly userId: string; readonly details: JsonObject },
): Promise<SecurityEvent | undefined> {
  if (!ctx.hasOwnTables) return undefined;
  return insertSignIn(tx, { userId, details, ...placeOf(caller) }, deviceKey(caller), ctx.clock.now());
}

function placeOf({ ip, userAgent }: Pick<Caller, 'ip' | 'userAgent'>) {
  return {
    userAgent: userAgent === '' ? null : userAgent.slice(0, maxUserAgentLength),
    network: approximateAddress(ip),
  };
}

/**
 * Returns a key that identifies the caller's device. Browsers that use the Account pages are identified by a cookie.
 * Other clients are identified by browser, operating system and network.
 */
export function deviceKey({ deviceId, ip, userAgent }: Caller): string {
  if (deviceId !== undefined) return `cookie:${deviceId}`;
  const device = deviceOf(userAgent);
  const description = JSON.stringify([device?.browser, device?.system, approximateAddress(ip)]);
  return `client:${createHash('sha256').update(description).digest('base64url')}`;
}

/** Stores a link that undoes the event, and returns the link's token. Stores only the token's hash. */
export async function addReversal(ctx: AuthContext, db: Queryable, event: SecurityEvent): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expiresAtMs = ctx.clock.now() + ctx.settings.security.undoPeriodMs;
  await insertReversal(db, { hash: hashOf(token), eventId: event.id, expiresAtMs });
  return token;
}

/** Returns the hash of a link's token. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const defaultPageSize = 20;
const maxPageSize = 100;

export interface EventPage {
  readonly events: readonly SecurityEvent[];
  /** The event ID to pass as `before` to get the next page. Null if this page is the last. */
  readonly next: string | null;
}

/** Returns a page of a user's events, newest first. @throws {AuthError} validation_failed */
export async function listUserEvents(
  ctx: AuthContext,
  userId: string,
  { before, limit = defaultPageSize }: { readonly before?: string | undefined; readonly limit?: number },
): Promise<EventPage> {
  if (!ctx.hasOwnTables) return { events: [], next: null };
  if (before !== undefined && !isUuid(before)) throw authError('validation_failed', 'before must be an UUID');
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw authError('validation_failed', `limit must be between 1 and ${maxPageSize}`);
  }
  const found = await listEvents(ctx.pool, userId, { before, limit: limit + 1 });
  const events = found.slice(0, limit);
  return { events, next: found.length > limit ? (events.at(-1)?.id ?? null) : null };
}

const maxExportedEvents = 10_000;

/** Returns the events for the user's data download. */
export async function exportEvents(ctx: AuthContext, userId: string): Promise<readonly SecurityEvent[]> {
  if (!ctx.hasOwnTables) return [];
  return listEvents(ctx.pool, userId, { before: undefined, limit: maxExportedEvents });
}
