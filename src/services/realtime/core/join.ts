/** Parses the payload of `phx_join` leniently. Invalid parts are treated as absent and never cause a rejection. */

import { isRecord } from '../../../base/shared/json.ts';
import type { ClientPayload } from './frame.ts';

export interface JoinRequest {
  readonly broadcast: { readonly ack: boolean; readonly self: boolean; readonly replicationReady: boolean };
  /**
   * The replay request as sent by the client, which {@link parseReplay} validates. Undefined if the join doesn't
   * contain a replay request.
   */
  readonly replay: unknown;
  readonly presence: { readonly enabled: boolean; readonly key: string | undefined };
  /** The `postgres_changes` entries as sent by the client. The reply repeats the entries. */
  readonly postgresChanges: readonly Record<string, unknown>[];
  readonly private: boolean;
  /** The token, or undefined if the channel uses the connection's key. */
  readonly accessToken: string | undefined;
  /** False if the client doesn't send `config`. Such a client receives only the record as the payload of a change. */
  readonly hasConfig: boolean;
}

export function parseJoin(payload: ClientPayload, subTopic: string): JoinRequest {
  const join = record(payload.kind === 'json' ? payload.value : undefined);
  const hasConfig = Object.hasOwn(join, 'config');
  const config = record(join.config);
  const broadcast = record(config.broadcast);
  const presence = record(config.presence);
  return {
    broadcast: {
      ack: flag(broadcast.ack),
      self: flag(broadcast.self),
      replicationReady: flag(broadcast.replication_ready),
    },
    replay: Object.hasOwn(broadcast, 'replay') ? (broadcast.replay ?? undefined) : undefined,
    presence: {
      enabled: flag(presence.enabled),
      key: typeof presence.key === 'string' && presence.key !== '' ? presence.key : undefined,
    },
    postgresChanges: hasConfig ? entries(config.postgres_changes) : [entryOfTopic(subTopic)],
    private: flag(config.private),
    accessToken: tokenOf(join),
    hasConfig,
  };
}

function tokenOf(join: Record<string, unknown>): string | undefined {
  const { user_token: userToken, access_token: accessToken } = join;
  const preferred = accessToken || userToken;
  // A client that sends a publishable key doesn't have a session.
  if (typeof preferred === 'string' && preferred.startsWith('sb_')) return undefined;
  if (typeof userToken === 'string') return userToken;
  return typeof accessToken === 'string' ? accessToken : undefined;
}

function entries(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((entry) => isRecord(entry));
}

/** Parses the topic `schema[:table[:filter]]` of a client that doesn't send `config`. */
function entryOfTopic(subTopic: string): Record<string, unknown> {
  const [schema, table, ...filter] = subTopic.split(':');
  if (table === undefined) return { schema };
  return filter.length === 0 ? { schema, table } : { schema, table, filter: filter.join(':') };
}

/**
 * Returns the start time (`since`, in milliseconds) and the maximum number of messages, or undefined if either is
 * invalid.
 */
export function parseReplay(value: unknown): { sinceMs: number; limit: number } | undefined {
  if (!isRecord(value)) return undefined;
  const { since } = value;
  const limit = value.limit ?? 25;
  if (!Number.isSafeInteger(since) || !Number.isSafeInteger(limit)) return undefined;
  if (Math.abs(since as number) > 8.64e15) return undefined;
  return { sinceMs: since as number, limit: Math.max(1, Math.min(25, limit as number)) };
}

/**
 * Returns an entry's ID, which is included in the reply and in each change. The ID is a 27-bit hash of the entry's
 * text, so equal entries have equal IDs. The ID is never 0 because clients treat 0 as a missing ID.
 */
export function bindingId(entry: Record<string, unknown>): number {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify(entry))
    hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return hash >>> 5 || 1;
}

function flag(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
