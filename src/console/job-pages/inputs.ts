/** The shapes of what the Jobs pages send. */
import { z } from 'zod';
import { webhookEvents } from './core/webhook.ts';
import { type ExtensionName, enabling } from './parts.ts';

/** Bigints of PostgreSQL as text. */
const id = z.string().regex(/^\d{1,18}$/, 'is no id');
const storable = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { message: 'holds a zero byte' });
const name = storable(63).min(1);

export const idParam = z.object({ id });
export const enable = z.object({ name: z.enum(Object.keys(enabling) as [ExtensionName]) });

/** `schedule` is judged by the database, which says what is wrong with it. */
const schedule = storable(200).min(1);
const command = storable(100_000).refine((text) => text.trim() !== '', { message: 'is empty' });
export const newCronJob = z
  .object({ name: storable(200).min(1), schedule, command, active: z.boolean().default(true) })
  .strict();
export const cronChange = z
  .object({ schedule: schedule.optional(), command: command.optional(), active: z.boolean().optional() })
  .strict();
export const runPage = z.object({
  before: id.optional(),
  failed: z.stringbool().default(false),
});

/** RFC 9110, section 5.6.2. */
const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header');
const headerValue = z
  .string()
  .max(8000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'has characters that no header may have');

export const webhook = z
  .object({
    schema: name,
    table: name,
    name,
    events: z.array(z.enum(webhookEvents)).min(1).max(3),
    url: storable(8000).refine((text) => URL.canParse(text) && /^https?:\/\//i.test(text), {
      message: 'is no address that begins with http:// or https://',
    }),
    method: z.enum(['GET', 'POST']),
    headers: z.record(headerName, headerValue).default({}),
    params: z.record(storable(200).min(1), storable(8000)).default({}),
    /** As long as a request may take at all (`src/jobs/net/sender.ts`). */
    timeoutMs: z.number().int().min(1).max(600_000),
  })
  .strict();
export const webhookSwitch = z.object({ enabled: z.boolean() }).strict();
export const hookParams = z.object({ schema: name, table: name, name });
export const deliveryPage = z.object({ before: id.optional() });

export const waitingPage = z.object({ before: id.optional() });
export const answeredPage = z.object({
  /** Time and id of the last one seen. */
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00,\d{1,18}$/, 'is no place in the list')
    .optional(),
  failed: z.stringbool().default(false),
});

/** Upstream's functions make a table's name of it, in lower case. */
export const newQueue = z
  .object({
    name: z
      .string()
      .max(47)
      .regex(/^[a-z0-9][a-z0-9_-]*$/, 'is made of lower-case letters, digits, - and _'),
    unlogged: z.boolean().default(false),
    rls: z.boolean().default(true),
  })
  .strict();
export const queueParams = z.object({ queue: storable(200).min(1) });
const place = z.enum(['queue', 'archive']).default('queue');
export const messagePage = z.object({ of: place, after: id.optional() });
export const messageParams = z.object({ queue: storable(200).min(1), id });
export const messagePlace = z.object({ of: place });
const jsonText = storable(1_000_000).refine(isJson, { message: 'is no JSON' });
export const newMessage = z
  .object({
    /** As somebody wrote it, so that large numbers stay what they are. */
    message: jsonText,
    headers: jsonText.optional(),
    delaySeconds: z.number().int().min(0).max(31_536_000).default(0),
  })
  .strict();
export const messageIds = z.object({ ids: z.array(id).min(1).max(500) }).strict();

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
