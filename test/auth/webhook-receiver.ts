/** A backend with webhooks, and the requests that a receiver has recorded. */
import { createHash } from 'node:crypto';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import type { Target } from '../jobs/target.ts';

export type Backend = Awaited<ReturnType<typeof createTestBackend>>;

type Webhooks = NonNullable<NonNullable<NonNullable<PartialConfig['plinth']>['auth']>['webhooks']>;

export const createBackendWith = (webhooks: Webhooks): Promise<Backend> =>
  createTestBackend({ config: { plinth: { auth: { webhooks } } } });

/** Returns a signing secret that depends on the name. */
export const secretOf = (name: string): string =>
  `whsec_${createHash('sha256').update(name).digest('base64')}`;

export interface Received {
  readonly path: string;
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of event has other data
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: any };
}

export const receivedOf = ({ arrived }: Target): readonly Received[] =>
  arrived.map(({ url, headers, body }) => ({
    path: url,
    headers: headers as Received['headers'],
    text: body,
    body: JSON.parse(body),
  }));
