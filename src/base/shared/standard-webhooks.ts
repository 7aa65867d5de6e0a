/** Signs requests to the project's own webhooks according to Standard Webhooks. */
import { createHmac } from 'node:crypto';

/** Parses secrets in the form whsec_BASE64. During a rotation, a setting contains several, separated by `|`. */
export const signingKeys = (secrets: string): readonly Buffer[] =>
  secrets.split('|').map((secret) => Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64'));

export interface EventMessage {
  /** The event's ID, which is the same for every attempt. */
  readonly id: string;
  readonly type: string;
  /** When the event happened, in ISO 8601 format. */
  readonly timestamp: string;
  readonly data: unknown;
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Returns the request for an attempt, with a signature of each key. `nowMs` is the time of the attempt, which receivers
 * compare with their clock to reject replayed requests.
 */
export function signedRequest(keys: readonly Buffer[], message: EventMessage, nowMs: number): SignedRequest {
  const { id, ...content } = message;
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Plinth-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
  };
}
