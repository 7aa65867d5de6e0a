import { z } from 'zod';
import { isJson } from '../../../base/shared/json.ts';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { headerName, headerValue } from '../core/header-fields.ts';
import { type WebhookEvent, webhookEvents } from './core/webhook.ts';

/** A PostgreSQL bigint as text. */
const id = z.string().regex(/^\d{1,18}$/, 'must be a numeric ID');
const storable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), { message: 'contains a null byte' });
const name = storable(63).min(1);

export const idParam = z.object({ id });
const extensionNames = ['pg_cron', 'pg_net', 'pgmq'] as const;
export type ExtensionName = (typeof extensionNames)[number];
const enable = z.object({ name: z.enum(extensionNames) });

/** The schedule isn't validated here because the database validates it and reports any errors. */
const schedule = storable(200).min(1);
const command = storable(100_000).refine((text) => text.trim() !== '', { message: 'is empty' });
const newCronJob = z
  .object({ name: storable(200).min(1), schedule, command, active: z.boolean().default(true) })
  .strict();
const cronChange = z
  .object({ schedule: schedule.optional(), command: command.optional(), active: z.boolean().optional() })
  .strict();
const runPage = z.object({
  before: id.optional(),
  failed: z.stringbool().default(false),
});

const webhook = z
  .object({
    schema: name,
    table: name,
    name,
    events: z.array(z.enum(webhookEvents)).min(1).max(3),
    url: storable(8000).refine((text) => URL.canParse(text) && /^https?:\/\//i.test(text), {
      message: 'must be a URL that starts with http:// or https://',
    }),
    method: z.enum(['GET', 'POST']),
    headers: z.record(headerName, headerValue).default({}),
    params: z.record(storable(200).min(1), storable(8000)).default({}),
    /** The maximum timeout is the same as in `src/services/jobs/net/sender.ts`. */
    timeoutMs: z.number().int().min(1).max(600_000),
  })
  .strict();
const webhookSwitch = z.object({ enabled: z.boolean() }).strict();
export const hookParams = z.object({ schema: name, table: name, name });
const deliveryPage = z.object({ before: id.optional() });

const pendingPage = z.object({ before: id.optional() });
const completedPage = z.object({
  /** The time and ID of the last entry on the previous page. */
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00,\d{1,18}$/, "isn't a valid cursor")
    .optional(),
  failed: z.stringbool().default(false),
});

/** Queue names must be lowercase because upstream's functions use the lowercase queue name as the table name. */
const newQueue = z
  .object({
    name: z
      .string()
      .max(47)
      .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must consist of lowercase letters, digits, - and _'),
    unlogged: z.boolean().default(false),
    rls: z.boolean().default(true),
  })
  .strict();
export const queueParams = z.object({ queue: storable(200).min(1) });
const source = z.enum(['queue', 'archive']).default('queue');
const messagePage = z.object({ of: source, after: id.optional() });
export const messageParams = z.object({ queue: storable(200).min(1), id });
const messageSource = z.object({ of: source });
const jsonText = storable(1_000_000).refine(isJson, { message: "isn't valid JSON" });
const newMessage = z
  .object({
    /** The message is JSON text that isn't parsed, because parsing would change the digits of large numbers. */
    message: jsonText,
    headers: jsonText.optional(),
    delaySeconds: z.number().int().min(0).max(31_536_000).default(0),
  })
  .strict();
const messageIds = z.object({ ids: z.array(id).min(1).max(500) }).strict();

/**
 * `ready`: the tables exist. `off`: the tables can be created with a single statement. `missing`: the extension isn't
 * available on the PostgreSQL server.
 */
export type PartState = 'ready' | 'off' | 'missing';

export interface Parts {
  readonly cron: PartState;
  readonly net: PartState;
  readonly queues: PartState;
  /** Whether the trigger function for database webhooks exists. */
  readonly hooks: boolean;
  /**
   * Whether pg_cron is Plinth's own version. If true, this process runs the scheduler. `ownCron` is true only if a
   * superuser owns the schema, because otherwise reading its tables could run the project's code.
   */
  readonly ownCron: boolean;
}

export interface RunRow {
  /** A bigint as text. */
  readonly id: string;
  readonly status: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The beginning of the message from the database. */
  readonly message: string | null;
}

export type DeliveryOutcome = 'answered' | 'failed' | 'timed out' | 'waiting' | 'forgotten';

export interface DeliveryRow {
  readonly id: string;
  readonly sent_at: string;
  /**
   * The outcome. `forgotten` means that the response has been deleted, because responses are stored only for the
   * duration in `pg_net.ttl`.
   */
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly answered_at: string | null;
  /** The ID that identifies both the request and its response. */
  readonly request_id: string | null;
  readonly content_type: string | null;
  /** The beginning of the response's body. */
  readonly content: string | null;
  readonly error: string | null;
}

export interface CompletedRow {
  readonly id: string;
  readonly answered_at: string;
  readonly status: number | null;
  readonly timed_out: boolean;
  readonly error: string | null;
  readonly content_type: string | null;
  readonly content_bytes: number | null;
  readonly webhook: string | null;
}

export interface QueueRow {
  readonly name: string;
  readonly unlogged: boolean;
  readonly partitioned: boolean;
  readonly created_at: string;
  /** The name of the queue's table in the `pgmq` schema. */
  readonly table: string;
  /** Null if the queue's table doesn't exist. */
  readonly rls: boolean | null;
  /**
   * The total number of messages, and the number of messages that consumers can currently read. Null if counting the
   * messages took too long.
   */
  readonly length: number | null;
  readonly visible: number | null;
  readonly oldest_seconds: number | null;
  readonly newest_seconds: number | null;
  readonly total: number | null;
}

export interface MessageRow {
  readonly id: string;
  readonly enqueued_at: string;
  readonly visible_at: string;
  /**
   * Whether the message is currently hidden from consumers, because it was sent with a delay or a consumer is
   * processing it.
   */
  readonly is_hidden: boolean;
  readonly read_count: number;
  readonly archived_at: string | null;
  /** The message as JSON, possibly truncated. */
  readonly message: string | null;
  readonly headers: string | null;
  readonly message_chars: number | null;
}

export type MessageSource = 'queue' | 'archive';

/** A name and its value. The value is null if it is hidden from the operator. */
export type ShownPair = readonly [name: string, value: string | null];

export type { WebhookEvent };

export interface JobsOverview extends Parts {
  /** The SQL statements that create the extensions. */
  readonly enabling: Readonly<Record<ExtensionName, string>>;
}

export interface CronJob {
  readonly id: string;
  readonly name: string | null;
  readonly schedule: string;
  /** Null if the operator's role isn't allowed to read the command. */
  readonly command: string | null;
  readonly database: string;
  readonly role: string;
  readonly active: boolean;
  /** Whether the job belongs to the database role that the Console uses to change data. */
  readonly mine: boolean;
  readonly last_run: RunRow | null;
}

export interface CronJobs {
  /** The time zone in which schedules are interpreted. */
  readonly zone: string;
  readonly canRunNow: boolean;
  readonly jobs: readonly CronJob[];
}

export interface HookName {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
}

export interface Webhook extends HookName {
  readonly enabled: boolean;
  readonly events: readonly (WebhookEvent | 'truncate')[];
  readonly url: string;
  readonly method: string;
  readonly headers: readonly ShownPair[];
  readonly params: readonly ShownPair[];
  readonly timeoutMs: number;
  /**
   * Whether the webhook form supports all of the trigger's properties. If false, saving the form would remove some of
   * these properties.
   */
  readonly isPlain: boolean;
  /** Null if the operator's role isn't allowed to read the definition. */
  readonly definition: string | null;
  readonly last_delivery: DeliveryRow | null;
}

export interface PendingRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly ShownPair[];
  readonly body_bytes: number | null;
  readonly timeout_ms: number;
  /** The name of the webhook that sent the request. */
  readonly webhook: string | null;
}

export type OpenedPendingRequest = Omit<PendingRequest, 'webhook'> & { readonly body: string | null };

export type OpenedCompletedRequest = Omit<CompletedRow, 'webhook'> & {
  readonly headers: readonly ShownPair[];
  readonly content: string | null;
};

export const contract = {
  'GET /jobs': { response: json<JobsOverview>() },
  'POST /jobs/extensions': { body: enable, response: json<Parts>() },
  'GET /jobs/cron': { response: json<CronJobs>() },
  'POST /jobs/cron': { body: newCronJob, response: json<{ readonly id: string }>() },
  'PATCH /jobs/cron/:id': { body: cronChange, response: noContent },
  'DELETE /jobs/cron/:id': { response: noContent },
  'POST /jobs/cron/:id/run': { response: json<{ readonly waits: boolean }>() },
  'GET /jobs/cron/:id/runs': {
    query: runPage,
    response: json<{ readonly runs: readonly RunRow[]; readonly more: boolean }>(),
  },
  'GET /jobs/webhooks': { response: json<{ readonly webhooks: readonly Webhook[] }>() },
  'POST /jobs/webhooks': { body: webhook, response: noContent },
  'PUT /jobs/webhooks/:schema/:table/:name': { body: webhook, response: noContent },
  'PATCH /jobs/webhooks/:schema/:table/:name': { body: webhookSwitch, response: noContent },
  'DELETE /jobs/webhooks/:schema/:table/:name': { response: noContent },
  'GET /jobs/webhooks/:schema/:table/:name/deliveries': {
    query: deliveryPage,
    response: json<{ readonly deliveries: readonly DeliveryRow[]; readonly more: boolean }>(),
  },
  'GET /jobs/requests/waiting': {
    query: pendingPage,
    response: json<{
      readonly count: number;
      readonly requests: readonly PendingRequest[];
      readonly more: boolean;
    }>(),
  },
  'GET /jobs/requests/waiting/:id': { response: json<OpenedPendingRequest>() },
  'DELETE /jobs/requests/waiting/:id': { response: noContent },
  'GET /jobs/requests/answered': {
    query: completedPage,
    response: json<{
      /** How long PostgreSQL stores the responses. Null if unknown. */
      readonly kept: string | null;
      readonly requests: readonly CompletedRow[];
      readonly more: boolean;
    }>(),
  },
  'GET /jobs/requests/answered/:id': { response: json<OpenedCompletedRequest>() },
  'GET /jobs/queues': { response: json<{ readonly queues: readonly QueueRow[] }>() },
  'POST /jobs/queues': { body: newQueue, response: noContent },
  'DELETE /jobs/queues/:queue': { response: noContent },
  'POST /jobs/queues/:queue/purge': { response: json<{ readonly count: number }>() },
  'GET /jobs/queues/:queue/messages': {
    query: messagePage,
    response: json<{ readonly messages: readonly MessageRow[]; readonly more: boolean }>(),
  },
  'POST /jobs/queues/:queue/messages': { body: newMessage, response: json<{ readonly id: string }>() },
  'GET /jobs/queues/:queue/messages/:id': { query: messageSource, response: json<MessageRow>() },
  'POST /jobs/queues/:queue/messages/archive': {
    body: messageIds,
    response: json<{ readonly ids: readonly string[] }>(),
  },
  'POST /jobs/queues/:queue/messages/remove': {
    body: messageIds,
    response: json<{ readonly ids: readonly string[] }>(),
  },
} as const satisfies RouteTable;
