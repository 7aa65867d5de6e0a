/** The webhooks in plinth.toml. */
import { createHmac } from 'node:crypto';
import { signingKeys } from '../../../base/shared/standard-webhooks.ts';
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
      : [{ name, url, keys: signingKeys(secret), types: [...new Set(events.flatMap(typesOf))] }],
  );

/**
 * Returns a hash that changes if the URL or the signing keys change. It reveals neither, because the keys are random and
 * at least 24 bytes long.
 */
export const settingsHash = ({ url, keys }: Pick<Endpoint, 'url' | 'keys'>): string =>
  createHmac('sha256', Buffer.concat(keys)).update(url).digest('base64url');
