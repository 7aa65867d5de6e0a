/** The realtime page's routes. */
import { z } from 'zod';
import type { BroadcastVerdict, ChangeVerdict, RealtimeReport } from '../../realtime/types.ts';
import { json, type RouteTable } from '../core/contract.ts';
import { personaText as as, type PersonaToken } from '../persona/contract.ts';

const name = z.string().max(63);

const channelToken = z.object({ as });
const channelChecks = z.object({
  as,
  /** '1' for a private channel. */
  private: z.enum(['0', '1']).default('0'),
  /** The tables of the change feed: '' for none, `*` for all. */
  schema: name.default(''),
  table: name.default(''),
});

const cells = z.record(name, z.string().nullable());
const longName = z.string().max(1000);
/** A delivery check for a row change. */
const changeVerdict = z.object({
  as,
  schema: name.min(1),
  table: name.min(1),
  action: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  key: cells,
  /** Cells whose values were different when the change happened. */
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
/** A delivery check for a broadcast. */
const broadcastVerdict = z.object({
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
      /** The sender, whose permission to send is also checked. */
      sender: as,
    }),
    z.object({ from: z.literal('database'), id: z.uuid() }),
  ]),
});

/**
 * `stops`: nothing is delivered. `limits`: only some events are delivered. `fine`: this check doesn't affect delivery.
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
  /** The number of policies, for codes about policies. */
  readonly policies?: number;
}

export interface PublishedTable {
  readonly schema: string;
  readonly table: string;
}

export interface RealtimeOverview {
  /** The realtime service's address. */
  readonly url: string;
  /** The publishable key, with which the page opens its socket. */
  readonly apikey: string;
  /** The publication's tables. */
  readonly tables: readonly PublishedTable[];
}

export interface Checks {
  /** The subscriber's database role. */
  readonly role: string;
  readonly topic: readonly Check[];
  readonly table: readonly Check[];
}

/** The subscriber of a delivery check. */
export interface Subscriber {
  /** The email address, phone number or id of a user, or the role's name. */
  readonly persona: string;
  readonly role: string;
}

export const contract = {
  'GET /realtime': { response: json<RealtimeOverview>() },
  'GET /realtime/state': { response: json<RealtimeReport>() },
  'POST /realtime/token': { body: channelToken, response: json<PersonaToken>() },
  'GET /realtime/checks': { query: channelChecks, response: json<Checks>() },
  'POST /realtime/verdict/change': { body: changeVerdict, response: json<Subscriber & ChangeVerdict>() },
  'POST /realtime/verdict/broadcast': {
    body: broadcastVerdict,
    response: json<Subscriber & BroadcastVerdict>(),
  },
} as const satisfies RouteTable;
