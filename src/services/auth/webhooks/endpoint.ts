/** The webhooks in plinth.toml, and the requests that they receive according to Standard Webhooks. */
import { createHmac } from 'node:crypto';
import { typesOf, type UserEventType } from '../../../base/shared/user-events.ts';
import type { Config } from '../../../platform/config/index.ts';

/** An enabled webhook. */
export interface Endpoint {
  readonly name: string;
  readonly url: string;
  /** The signing keys. During a rotation, a webhook has several keys, and a request contains a signature of each. */
  readonly keys: readonly Buffer[];
  readonly types: readonly UserEventType[];
}

/** Returns the enabled webhooks. The configuration check has ensured that they have a URL and a secret. */
export const endpointsOf = ({ plinth }: Config): readonly Endpoint[] =>
  Object.entries(plinth.auth.webhooks).flatMap(([name, { enabled, url, secret, events }]) =>
    !enabled || url === undefined || secret === undefined
      ? []
      : [{ name, url, keys: keysOf(secret), types: [...new Set(events.flatMap(typesOf))] }],
  );

const keysOf = (secrets: string): readonly Buffer[] =>
  secrets.split('|').map((secret) => Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64'));

/**
 * Returns a hash that changes if the URL or the signing keys change. It reveals neither, because the keys are random and
 * at least 24 bytes long.
 */
export const settingsHash = ({ url, keys }: Pick<Endpoint, 'url' | 'keys'>): string =>
  createHmac('sha256', Buffer.concat(keys)).update(url).digest('base64url');

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
 * Returns the request for an attempt. `nowMs` is the time of the attempt, which receivers compare with their clock to
 * reject replayed requests.
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
