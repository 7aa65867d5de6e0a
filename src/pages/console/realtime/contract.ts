import { z } from 'zod';
import type {
  BroadcastCheckResult,
  ChangeCheckResult,
  RealtimeReport,
} from '../../../services/realtime/types.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';
import { personaText as as, type PersonaToken } from '../persona/contract.ts';

const name = z.string().max(63);

const channelToken = z.object({ as });
const channelChecks = z.object({
  as,
  /** `'1'` selects a private channel. */
  private: z.enum(['0', '1']).default('0'),
  /** The schema and table whose changes are sent to the channel. Empty for no table, and `*` for all tables. */
  schema: name.default(''),
  table: name.default(''),
});

const cells = z.record(name, z.string().nullable());
const longName = z.string().max(1000);
/** The input for a check of whether a row change would be delivered. */
const changeCheck = z.object({
  as,
  schema: name.min(1),
  table: name.min(1),
  action: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  key: cells,
  /** The cells whose values were different at the time of the change than they are now. */
  row: cells.default({}),
  /** The arguments of `channel.on('postgres_changes', …)`. */
  subscription: z
    .object({
      event: z.string().max(20).default('*'),
      schema: name.default('public'),
      table: name.optional(),
      filter: z.string().max(10_000).optional(),
      select: z.array(name).max(1600).optional(),
    })
    .default({ event: '*', schema: 'public' }),
});
/** The input for a check of whether a broadcast would be delivered. */
const broadcastCheck = z.object({
  as,
  topic: longName.min(1),
  private: z.boolean().default(false),
  version: z.enum(['1.0.0', '2.0.0']).default('2.0.0'),
  message: z.discriminatedUnion('from', [
    z.object({
      from: z.literal('client'),
      private: z.boolean(),
      event: longName.default('message'),
      encoding: z.enum(['json', 'binary']).default('json'),
      sizeBytes: z.number().int().min(0).default(0),
      /** The sender. The check includes whether the sender is allowed to send. */
      sender: as,
    }),
    z.object({ from: z.literal('database'), id: z.uuid() }),
  ]),
});

const tap = z.object({
  /** A topic, or the beginning of topics before `*`. Empty for all topics. */
  topic: longName.default(''),
  /** `'1'` includes the payloads of private channels and of row changes. */
  payloads: z.enum(['0', '1']).default('0'),
});

/** A message that was delivered. */
export interface TappedMessage {
  readonly id: number;
  /** The time in milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'broadcast' | 'presence' | 'change';
  readonly topic: string;
  readonly isGuarded: boolean;
  readonly event: string;
  /** JSON text, or the beginning of it. Null if the payload is binary or wasn't requested. */
  readonly payload: string | null;
  readonly isCut: boolean;
  readonly sizeBytes: number;
  readonly recipients: number;
}

/**
 * `stops`: nothing is delivered. `limits`: only some events are delivered. `fine`: the checked condition doesn't
 * restrict delivery.
 */
export type Weight = 'stops' | 'limits' | 'fine';

export type CheckCode =
  | 'table-missing'
  | 'not-published'
  | 'no-grant'
  | 'rls-off'
  | 'no-policy'
  | 'policies-decide'
  | 'no-key'
  | 'nothing-published'
  | 'public-channel'
  | 'private-no-read'
  | 'private-no-write'
  | 'private-policies-decide';

export interface Check {
  readonly code: CheckCode;
  readonly weight: Weight;
  /** The number of policies that apply. Set only if the code is about policies. */
  readonly policies?: number;
}

export interface PublishedTable {
  readonly schema: string;
  readonly table: string;
}

export interface RealtimeOverview {
  /** The URL of the realtime service. */
  readonly url: string;
  /** The publishable key with which the page opens its WebSocket connection. */
  readonly apikey: string;
  readonly tables: readonly PublishedTable[];
}

export interface Checks {
  /** The subscriber's database role. */
  readonly role: string;
  readonly topic: readonly Check[];
  readonly table: readonly Check[];
}

/** The user whose deliveries are checked. */
export interface Subscriber {
  /** The user's email address, phone number or ID, or the name of the role. */
  readonly persona: string;
  readonly role: string;
}

export const contract = {
  'GET /realtime': { response: json<RealtimeOverview>() },
  'GET /realtime/state': { response: json<RealtimeReport>() },
  /** Server-sent events. Each event is a {@link TappedMessage} that this node delivered. */
  'GET /realtime/tap': { query: tap, response: raw },
  'POST /realtime/token': { body: channelToken, response: json<PersonaToken>() },
  'GET /realtime/checks': { query: channelChecks, response: json<Checks>() },
  'POST /realtime/verdict/change': { body: changeCheck, response: json<Subscriber & ChangeCheckResult>() },
  'POST /realtime/verdict/broadcast': {
    body: broadcastCheck,
    response: json<Subscriber & BroadcastCheckResult>(),
  },
} as const satisfies RouteTable;
