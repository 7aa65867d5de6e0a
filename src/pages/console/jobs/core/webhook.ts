/**
 * Converts database webhooks to triggers and triggers to webhooks. A webhook is stored as a trigger with five text
 * arguments for `supabase_functions.http_request`: the URL, the method, the headers, the parameters, and the timeout in
 * milliseconds. In an argument, the word `null` stands for the default. The bits of `pg_trigger.tgtype` contain the
 * events.
 */
import { isRecord } from '../../../../base/shared/json.ts';
import type { TriggerEvent } from '../../schema/changes.ts';

export type WebhookEvent = Exclude<TriggerEvent, 'truncate'>;
export const webhookEvents = ['insert', 'update', 'delete'] as const satisfies readonly WebhookEvent[];

export const hookFunction = { schema: 'supabase_functions', name: 'http_request' } as const;

export interface WebhookRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
}

/** The values that `http_request` uses for missing arguments (`src/platform/database/sql/0004_functions.sql`). */
const hookDefaults = { headers: { 'Content-Type': 'application/json' }, timeoutMs: 1000 } as const;

/** Parses `pg_trigger.tgargs`, which contains zero-terminated strings. */
export function requestOf(args: Buffer): WebhookRequest {
  const texts = args.toString('utf8').split('\0').slice(0, -1);
  const at = (index: number): string | undefined => (texts[index] === 'null' ? undefined : texts[index]);
  const timeoutMs = Number(at(4) ?? Number.NaN);
  return {
    url: at(0) ?? '',
    method: at(1) ?? '',
    headers: objectIn(at(2)) ?? hookDefaults.headers,
    params: objectIn(at(3)) ?? {},
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : hookDefaults.timeoutMs,
  };
}

export function argumentsOf({ url, method, headers, params, timeoutMs }: WebhookRequest): string[] {
  return [url, method, JSON.stringify(headers), JSON.stringify(params), String(timeoutMs)];
}

/**
 * Parses a JSON object. If a trigger was written by hand, this text can be anything. If the text isn't a JSON object,
 * the trigger fails each time it is fired.
 */
function objectIn(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The bits in `tgtype`, as defined in `catalog/pg_trigger.h`. */
const bits = { row: 1, before: 2, insert: 4, delete: 8, update: 16, truncate: 32, instead: 64 } as const;

export function eventsOf(type: number): TriggerEvent[] {
  return (['insert', 'update', 'delete', 'truncate'] as const).filter((event) => (type & bits[event]) !== 0);
}

/** Whether the form supports this kind of trigger, which must be a row-level AFTER trigger. */
export function isPlainType(type: number): boolean {
  return (type & bits.row) !== 0 && (type & (bits.before | bits.truncate | bits.instead)) === 0;
}

/**
 * Returns the URL, or only the URL's origin if the operator can't see secrets.
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // If the text isn't a URL, a secret could be anywhere in it.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Returns the fields of a JSON object in order. The fields' values are null if the operator can't see secrets. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): [name: string, value: string | null][] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
