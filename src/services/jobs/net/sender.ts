/**
 * The worker of pg_net. The worker sends queued requests concurrently and stores their responses. A request remains in
 * the queue until its response is committed, so every request is sent at least once, even if a process is killed.
 * Several processes can share the queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../base/kernel/log.ts';
import { type CountedWorker, createWorker, type Turn } from '../../../base/shared/worker.ts';
import type { Database, PostgresErrorShape, Session } from '../../../platform/database/types.ts';
import type { Exchanges } from '../exchange.ts';
import {
  claim,
  deleteExpired,
  type NetResponse,
  type QueuedRequest,
  readClaimed,
  readSettings,
  recordResponses,
  unlock,
} from './queries.ts';
import { failureOf, partsOf, responseOf } from './response.ts';

export const netVersion = '0.19.5';
/** The maximum number of concurrent requests per process if `pg_net.batch_size` isn't set. */
export const defaultBatchSize = 64;
export const maxBatchSize = 500;
/** The time for which responses are kept if `pg_net.ttl` isn't set. */
export const defaultTtl = '6 hours';
export const maxRequestTimeoutMs = 600_000;
/**
 * The interval at which the queue is checked even without a notification, because a killed process may have left
 * requests in it.
 */
export const netPollMs = 60_000;
const maxRedirects = 20;
const expiredAtOnce = 5_000;
const housekeepingMs = 60_000;
const stopGraceMs = 3_000;

export interface NetCounts {
  /**
   * The number of requests that received a response with any status since the process started. `failed` is the number
   * of failed requests.
   */
  answered: number;
  failed: number;
}

export interface SenderDeps {
  readonly database: Database;
  readonly exchanges: Exchanges;
  readonly log: Logger;
  readonly counts: NetCounts;
}

export function createSender({ database, exchanges, log, counts }: SenderDeps): CountedWorker {
  const pool = database.pool('postgres');
  // Aborts when the worker stops. Pending requests are then canceled, because their claims end with the session.
  let ending = new AbortController();
  let inFlight = 0;
  const startTimes = new Map<string, number>();
  let finished: NetResponse[] = [];
  let answered = Promise.withResolvers<void>();

  async function work(turn: Turn): Promise<undefined> {
    const session = await pool.connect();
    try {
      // Settings and expired responses are also checked while requests are pending, because the queue might not be
      // empty for days.
      let drained = false;
      while (!drained && !turn.signal.aborted) {
        const settings = await readSettings(session);
        if (!settings.ours) break;
        await expire(session, settings.ttl ?? defaultTtl);
        drained = await drain(session, batchSizeOf(settings.batchSize), turn);
      }
      if (turn.signal.aborted) await finish(session);
      session.release();
    } catch (error) {
      session.destroy();
      // The extension and its queue were dropped.
      if (!['42P01', '3F000'].includes((error as PostgresErrorShape).code)) throw error;
    } finally {
      ending.abort();
      ending = new AbortController();
      inFlight = 0;
      startTimes.clear();
      finished = [];
      exchanges.rest();
    }
  }

  /**
   * Sends requests. Returns true if the queue is empty and no request is pending, and false if the settings must be
   * checked again.
   */
  async function drain(session: Session, slots: number, turn: Turn): Promise<boolean> {
    const until = performance.now() + housekeepingMs;
    while (!turn.signal.aborted && performance.now() < until) {
      if (inFlight < slots) {
        await sendMore(session, slots - inFlight);
        if (inFlight === 0 && finished.length === 0) return true;
      }
      await Promise.race([answered.promise, turn.called()]);
      answered = Promise.withResolvers();
      await record(session, finished.splice(0));
    }
    return false;
  }

  /**
   * Called when the sender stops. Waits briefly for pending responses and stores them, so that their requests aren't
   * sent again after the next start.
   */
  async function finish(session: Session): Promise<void> {
    const late = sleep(stopGraceMs, undefined, { ref: false }).then(() => true);
    for (let isLate = false; inFlight > 0 && !isLate; ) {
      isLate = (await Promise.race([answered.promise, late])) === true;
      answered = Promise.withResolvers();
      await record(session, finished.splice(0));
    }
  }

  async function sendMore(session: Session, slots: number): Promise<void> {
    const ids = await claim(session, slots);
    if (ids.length === 0) return;
    const requests = await readClaimed(session, ids);
    const gone = ids.filter((id) => !requests.some((request) => request.id === id));
    if (gone.length > 0) await unlock(session, gone);
    for (const request of requests) void send(request, ending.signal);
  }

  async function send(request: QueuedRequest, signal: AbortSignal): Promise<void> {
    inFlight++;
    startTimes.set(request.id, performance.now());
    const response = await exchange(request, signal);
    if (signal.aborted || response === undefined) return;
    inFlight--;
    startTimes.delete(request.id);
    finished.push(response);
    answered.resolve();
  }

  /** Sends a request. Returns undefined if this process aborted the request, so that no response is stored. */
  async function exchange(request: QueuedRequest, signal: AbortSignal): Promise<NetResponse | undefined> {
    try {
      const response = await exchanges.send(exchangeOf(request), signal);
      counts.answered++;
      return responseOf(request.id, response);
    } catch (error) {
      if (signal.aborted) return undefined;
      counts.failed++;
      return failureOf(request.id, error);
    }
  }

  async function record(session: Session, responses: readonly NetResponse[]): Promise<void> {
    for (const part of partsOf(responses)) {
      await recordResponses(session, part);
      await unlock(
        session,
        part.map(({ id }) => id),
      );
    }
  }

  async function expire(session: Session, ttl: string): Promise<void> {
    try {
      while ((await deleteExpired(session, ttl, expiredAtOnce)) === expiredAtOnce);
    } catch (error) {
      // An invalid interval in a setting must not stop the sender.
      if ((error as PostgresErrorShape).code !== '22007') throw error;
      log.warn({ ttl }, "pg_net.ttl isn't a valid interval, so responses are kept");
    }
  }

  return {
    ...createWorker({ database, channel: 'plinth_net', log, name: 'pg_net', pollMs: netPollMs, work }),
    startTimes: () => [...startTimes.values()],
  };
}

function exchangeOf({ method, url, headers, body, timeoutMs }: QueuedRequest) {
  if (timeoutMs <= 0 || timeoutMs > maxRequestTimeoutMs) {
    throw new Error(`timeout_milliseconds must be between 1 and ${maxRequestTimeoutMs}, got ${timeoutMs}`);
  }
  const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const named = pairs.some(([name]) => name.toLowerCase() === 'user-agent');
  return {
    method,
    url,
    headers: named ? pairs : [...pairs, ['User-Agent', `pg_net/${netVersion}`] as const],
    body: body ?? undefined,
    timeoutMs,
    maxRedirects,
  };
}

function batchSizeOf(setting: string | null): number {
  const needed = Number(setting ?? defaultBatchSize);
  if (!Number.isInteger(needed) || needed < 1) return defaultBatchSize;
  return Math.min(needed, maxBatchSize);
}
