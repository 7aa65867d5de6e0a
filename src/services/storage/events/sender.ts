/**
 * Sends object events to the configured webhook at least once. An event is removed after the webhook responds with a
 * 2xx status, and until then is retried with increasing delays. The same event can therefore arrive twice, or after a
 * later event. The versions in the events determine the order of the events. The body is the same as upstream's
 * (supabase/storage 1.11.2, `WEBHOOK_URL`).
 */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Logger } from '../../../base/kernel/log.ts';
import { type Outgoing, OutgoingError } from '../../../base/shared/network/outgoing.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { forgetEvent, leaseEvents, postponeEvent, type StoredEvent } from './queries.ts';

export interface Webhook {
  readonly url: string;
  /** The key that is sent to the webhook as a bearer token. */
  readonly apiKey: string | undefined;
}

export interface EventSender {
  start(): void;
  stop(): Promise<void>;
}

interface Deps {
  readonly webhook: Webhook;
  readonly db: Queryable;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly log: Logger;
}

export const webhookTimeoutMs = 6000;
/** An event that can't be delivered is dropped after this duration. */
export const eventLifetimeMs = 3 * 24 * 60 * 60 * 1000;
const lookEveryMs = 500;
/** The pause after a database error, because the database is probably unreachable. */
const pauseAfterFaultMs = 5000;
const batchSize = 20;
/** The duration of a lease. A lease lasts longer than a batch takes, even if all requests in the batch time out. */
const leaseSeconds = 60;
const maxPauseSeconds = 60 * 60;

export function createEventSender({ webhook, db, outgoing, clock, log }: Deps): EventSender {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function deliver(event: StoredEvent): Promise<void> {
    const fault = await send(event);
    if (fault === undefined) return forgetEvent(db, event.id);
    const { id, type, attempts } = event;
    if (clock.now() - event.happened_at_ms > eventLifetimeMs) {
      log.error({ event: id, type, attempts, fault }, 'storage: stopped retrying an event');
      return forgetEvent(db, id);
    }
    const seconds = Math.min(2 ** attempts, maxPauseSeconds);
    log.warn(
      { event: id, type, attempts, fault, againInSeconds: seconds },
      "storage: an event wasn't accepted",
    );
    return postponeEvent(db, id, seconds);
  }

  /** Sends an event. Returns an error message, or undefined if the event was delivered. */
  async function send({
    type,
    payload,
    happened_at_ms: applyTime,
  }: StoredEvent): Promise<string | undefined> {
    const body = {
      type: 'Webhook',
      event: { $version: 'v1', type, region: 'local', payload, applyTime: Math.round(applyTime) },
      sentAt: new Date(clock.now()).toISOString(),
      tenant: { ref: 'local', host: 'local' },
    };
    try {
      const { status } = await outgoing.send({
        url: webhook.url,
        reach: 'configured',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(webhook.apiKey === undefined ? {} : { authorization: `Bearer ${webhook.apiKey}` }),
        },
        body: JSON.stringify(body),
        timeoutMs: webhookTimeoutMs,
      });
      return status >= 200 && status < 300 ? undefined : `status ${status}`;
    } catch (error) {
      if (error instanceof OutgoingError) return error.message;
      throw error;
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      const events = await leaseEvents(db, batchSize, leaseSeconds);
      // The events are sent concurrently, so a slow delivery doesn't delay the others.
      await Promise.all(events.map(deliver));
      if (events.length < batchSize || isStopped) return;
    }
  }

  function lookAgain(inMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      working = work()
        .then(() => lookAgain(lookEveryMs))
        .catch((error: unknown) => {
          log.error({ error }, 'storage: failed to send events');
          lookAgain(pauseAfterFaultMs);
        });
    }, inMs).unref();
  }

  return {
    start: () => lookAgain(lookEveryMs),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await working;
    },
  };
}
