/**
 * Sends the events to the webhooks. An event is stored in the transaction of its change, and a delivery is leased before
 * it is sent, so several processes can share the work and a crash causes at most a second delivery with the same ID.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Logger } from '../../../base/kernel/log.ts';
import { type Outgoing, OutgoingError, type Reach } from '../../../base/shared/network/outgoing.ts';
import { signedRequest } from '../../../base/shared/standard-webhooks.ts';
import { createWorker, type Turn } from '../../../base/shared/worker.ts';
import type { Database, Pool } from '../../../platform/database/types.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type AttemptResult,
  createDeliveries,
  deleteOldEvents,
  type LeasedDelivery,
  leaseDeliveries,
  noteFailure,
  noteSuccess,
  recordAttempt,
  registerEndpoints,
  untilNextMs,
} from './queries.ts';
import {
  disableAfterMs,
  maxStoredEvents,
  orderedAttempts,
  retentionMs,
  retryDelayMs,
  retryDelaysMs,
} from './schedule.ts';
import { syncTriggers } from './triggers.ts';

/** The time limit for a request, including its response. */
export const requestTimeoutMs = 10_000;
/** The duration of a lease, which is longer than the time limit of a request. */
const leaseSeconds = 60;
/** The maximum number of concurrent requests to one webhook, per process. */
const maxConcurrent = 8;
/** The maximum length of the part of a response that is stored. */
const maxExcerptChars = 1000;
const newEventsPerRound = 500;
/** The interval at which the tables are checked even without a notification. */
const pollMs = 15_000;
const housekeepingEveryMs = 10 * 60_000;
const deletedPerStatement = 1000;
const stopGraceMs = 2_000;

export interface SenderDeps {
  readonly database: Database;
  readonly db: Pool;
  readonly outgoing: Outgoing;
  /** Returns the enabled webhooks. */
  readonly endpoints: () => readonly Endpoint[];
  /** Returns which addresses the request to a webhook may reach. */
  readonly reachOf: (url: string) => Reach;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Sender {
  /** Creates the triggers for the current webhooks, so that every later change is recorded. */
  prepare(): Promise<void>;
  start(): void;
  wake(): void;
  stop(): Promise<void>;
}

export function createSender(deps: SenderDeps): Sender {
  const { database, db, endpoints, log } = deps;
  const inFlight = new Map<string, Promise<void>>();
  let isPrepared = false;
  let cleanedAt = Number.NEGATIVE_INFINITY;

  async function prepare(): Promise<void> {
    isPrepared = false;
    const current = endpoints();
    if (current.length === 0) return;
    await registerEndpoints(db, current);
    // Other processes may still have other settings, so their triggers are kept here and removed by `removeUnused`.
    await syncTriggers(db, new Set(current.flatMap(({ types }) => types)), { removesOthers: false });
    isPrepared = true;
  }

  async function work(turn: Turn): Promise<number | undefined> {
    const current = endpoints();
    if (current.length === 0) return undefined;
    if (!isPrepared) await prepare();
    await clean(current);
    while (!turn.signal.aborted) {
      while ((await createDeliveries(db, endpoints(), newEventsPerRound)) === newEventsPerRound);
      for (const endpoint of endpoints()) await sendMore(endpoint);
      if (inFlight.size === 0) break;
      await Promise.race([...inFlight.values(), turn.called()]);
    }
    // Deliveries whose result isn't stored are sent again after their lease.
    if (turn.signal.aborted)
      await Promise.race([Promise.all(inFlight.values()), sleep(stopGraceMs, undefined, { ref: false })]);
    const next = await untilNextMs(
      db,
      current.map(({ name }) => name),
    );
    return next === undefined ? undefined : Math.max(next, 50);
  }

  async function sendMore(endpoint: Endpoint): Promise<void> {
    const busy = [...inFlight.keys()].filter((key) => key.startsWith(`${endpoint.name}/`)).length;
    if (busy >= maxConcurrent) return;
    const leased = await leaseDeliveries(db, endpoint.name, {
      limit: maxConcurrent - busy,
      leaseSeconds,
      orderedAttempts,
    });
    for (const delivery of leased) {
      const key = `${endpoint.name}/${delivery.id}/${delivery.attempts}`;
      const task = deliver(deps, endpoint, delivery)
        .catch((error: unknown) => log.warn({ error, webhook: endpoint.name }, 'failed to record a delivery'))
        .finally(() => inFlight.delete(key));
      inFlight.set(key, task);
    }
  }

  /** Deletes old events, and notes that the webhooks are still in the settings. */
  async function clean(current: readonly Endpoint[]): Promise<void> {
    if (performance.now() - cleanedAt < housekeepingEveryMs) return;
    cleanedAt = performance.now();
    await registerEndpoints(db, current);
    const batch = { retentionMs, maxEvents: maxStoredEvents, limit: deletedPerStatement };
    while ((await deleteOldEvents(db, batch)) === deletedPerStatement);
  }

  const worker = createWorker({
    database,
    channel: 'plinth_user_events',
    log,
    name: 'webhooks',
    pollMs,
    work,
  });
  return { prepare, start: worker.start, wake: worker.wake, stop: worker.stop };
}

/** Sends a delivery and stores the result. */
async function deliver(deps: SenderDeps, endpoint: Endpoint, delivery: LeasedDelivery): Promise<void> {
  const { db, log } = deps;
  const outcome = await attempt(deps, endpoint, delivery);
  const isAccepted = outcome.error === null;
  const retryMs = isAccepted ? undefined : retryDelayMs(delivery.attempts, Math.random());
  const status = isAccepted ? 'delivered' : retryMs === undefined ? 'failed' : 'waiting';
  const isStored = await recordAttempt(db, delivery, { ...outcome, status, retryMs: retryMs ?? 0 });
  if (!isStored) return;
  if (isAccepted) {
    await noteSuccess(db, endpoint.name);
    return;
  }
  const facts = { webhook: endpoint.name, event: delivery.event_id, type: delivery.type };
  log.warn({ ...facts, attempts: delivery.attempts, error: outcome.error }, 'a webhook rejected an event');
  const isGone = outcome.responseStatus === 410;
  const isDisabled = await noteFailure(db, endpoint.name, {
    disableAfterMs: isGone ? 0 : disableAfterMs,
    note: isGone
      ? 'The receiver responded with 410 Gone.'
      : `All requests failed for ${disableAfterMs / 86_400_000} days. Last error: ${outcome.error}`,
  });
  if (isDisabled) log.error(facts, 'the webhook was disabled, so it receives no events');
}

type Outcome = Omit<AttemptResult, 'status' | 'retryMs'>;

/** Sends one request. Only a 2xx status means that the receiver has accepted the event. */
async function attempt(
  { outgoing, reachOf, clock }: SenderDeps,
  { url, keys }: Endpoint,
  { event_id, type, created_at, data }: LeasedDelivery,
): Promise<Outcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const message = { id: event_id, type, timestamp: created_at, data };
  try {
    const response = await outgoing.send({
      url,
      reach: reachOf(url),
      method: 'POST',
      timeoutMs: requestTimeoutMs,
      ...signedRequest(keys, message, clock.now()),
    });
    const { status } = response;
    return {
      durationMs: durationMs(),
      responseStatus: status,
      responseExcerpt: excerptOf(response.text),
      error: status >= 200 && status < 300 ? null : errorOf(status),
    };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { durationMs: durationMs(), responseStatus: null, responseExcerpt: null, error: error.message };
  }
}

const errorOf = (status: number): string =>
  status >= 300 && status < 400
    ? `The response has status ${status}, and redirects aren't followed.`
    : `The response has status ${status}.`;

/** Returns the beginning of a response, without characters that PostgreSQL can't store. */
const excerptOf = (text: string): string | null =>
  text === '' ? null : text.replaceAll('\0', '').toWellFormed().slice(0, maxExcerptChars).toWellFormed();

/** The number of attempts before a delivery has failed. */
export const maxAttempts = retryDelaysMs.length + 1;
