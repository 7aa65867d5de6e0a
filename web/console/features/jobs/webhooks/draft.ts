/** Converts between stored webhooks, the values of the webhook form and requests. */
import type { Body } from '../../../api/route.ts';
import type { Webhook, WebhookEvent } from '../api.ts';
import { pairsText } from '../parts.tsx';
import { parsePairs } from './pairs.ts';

export type NewWebhook = Body<'POST /jobs/webhooks'>;

export interface WebhookDraft {
  readonly name: string;
  /** The schema and name of the table as a JSON array. Empty until a table is chosen. */
  readonly table: string;
  readonly events: readonly string[];
  readonly url: string;
  readonly method: NewWebhook['method'];
  /** The headers, with one `name: value` per line. `params` has the same format. */
  readonly headers: string;
  readonly params: string;
  readonly timeoutMs: string;
}

export const webhookEvents: readonly WebhookEvent[] = ['insert', 'update', 'delete'];

const emptyDraft: WebhookDraft = {
  name: '',
  table: '',
  events: ['insert'],
  url: '',
  method: 'POST',
  headers: 'Content-Type: application/json',
  params: '',
  timeoutMs: '5000',
};

/** Returns the form's values for a stored webhook, or the initial values for a new webhook. */
export const draftOf = (hook: Webhook | undefined): WebhookDraft =>
  hook === undefined
    ? emptyDraft
    : {
        name: hook.name,
        table: JSON.stringify([hook.schema, hook.table]),
        events: hook.events,
        url: hook.url,
        method: hook.method === 'GET' ? 'GET' : 'POST',
        headers: pairsText(hook.headers),
        params: pairsText(hook.params),
        timeoutMs: String(hook.timeoutMs ?? emptyDraft.timeoutMs),
      };

export const isWebhookUrl = (url: string): boolean => /^https?:\/\/./i.test(url) && URL.canParse(url);

/** Converts the form's values to a request. Returns undefined if a value is missing or invalid. */
export function webhookOf(draft: WebhookDraft): NewWebhook | undefined {
  const headers = parsePairs(draft.headers);
  const params = parsePairs(draft.params);
  if (draft.table === '' || draft.events.length === 0 || !isWebhookUrl(draft.url)) return undefined;
  if ('badLine' in headers || 'badLine' in params) return undefined;
  const [schema, table] = JSON.parse(draft.table) as [string, string];
  return {
    schema,
    table,
    name: draft.name,
    events: webhookEvents.filter((event) => draft.events.includes(event)),
    url: draft.url,
    method: draft.method,
    headers: headers.pairs,
    params: params.pairs,
    timeoutMs: Number(draft.timeoutMs),
  };
}
