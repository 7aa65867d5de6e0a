/**
 * pg_net's worker. Concurrently sends the requests that are committed to the queue and stores the responses. A request
 * is delivered at least once because it stays in the queue until its response is committed, even if a process is
 * killed. Several processes can share the queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, PostgresErrorShape, Session } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Exchanges } from '../exchange.ts';
import { createWorker, type Turn, type Worker } from '../worker.ts';
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
import { failureOf, responseOf } from './response.ts';

export const netVersion = '0.19.5';
/** The maximum number of concurrent requests per process, unless `pg_net.batch_size` is set. */
export const defaultBatchSize = 64;
export const maxBatchSize = 500;
/** The retention period of responses, unless `pg_net.ttl` is set. */
export const defaultTtl = '6 hours';
export const maxRequestTimeoutMs = 600_000;
/**
 * The interval at which the queue is polled if no notification arrives, because another process may have died during a
 * request.
 */
export const netPollMs = 60_000;
const maxRedirects = 20;
const expiredAtOnce = 5_000;
const housekeepingMs = 60_000;
const stopGraceMs = 3_000;

export interface NetCounts {
  /**
   * The number of requests that received a response of any status, and the number of failed requests, since the process
   * started.
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

export function createSender({ database, exchanges, log, counts }: SenderDeps): Worker {
  const pool = database.pool('postgres');
  // Aborted when the current work ends. Requests in progress are canceled, because their claims end with the session.
  let ending = new AbortController();
  let underWay = 0;
  let finished: NetResponse[] = [];
  let answered = Promise.withResolvers<void>();

  async function work(turn: Turn): Promise<undefined> {
    const session = await pool.connect();
    try {
      // Under steady traffic, one drain can last for days, so settings and expired responses are checked periodically.
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
      // The extension was dropped, so there are no requests left.
      if (!['42P01', '3F000'].includes((error as PostgresErrorShape).code)) throw error;
    } finally {
      ending.abort();
      ending = new AbortController();
      underWay = 0;
      finished = [];
      exchanges.rest();
    }
  }

  /** Returns true if the queue is empty and no request is in progress, or false if it is time to check the settings. */
  async function drain(session: Session, slots: number, turn: Turn): Promise<boolean> {
    const until = performance.now() + housekeepingMs;
    while (!turn.signal.aborted && performance.now() < until) {
      if (underWay < slots) {
        await sendMore(session, slots - underWay);
        if (underWay === 0 && finished.length === 0) return true;
      }
      await Promise.race([answered.promise, turn.called()]);
      answered = Promise.withResolvers();
      await record(session, finished.splice(0));
    }
    return false;
  }

  /**
   * Waits briefly when the sender stops and stores the responses that arrive, so that those requests aren't sent again
   * after the next start.
   */
  async function finish(session: Session): Promise<void> {
    const late = sleep(stopGraceMs, undefined, { ref: false }).then(() => true);
    for (let isLate = false; underWay > 0 && !isLate; ) {
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
    underWay++;
    const answer = await answerTo(request, signal);
    if (signal.aborted || answer === undefined) return;
    underWay--;
    finished.push(answer);
    answered.resolve();
  }

  /** Returns undefined if this process aborted the request, in which case no response is stored. */
  async function answerTo(request: QueuedRequest, signal: AbortSignal): Promise<NetResponse | undefined> {
    try {
      const answer = await exchanges.send(exchangeOf(request), signal);
      counts.answered++;
      return responseOf(request.id, answer);
    } catch (error) {
      if (signal.aborted) return undefined;
      counts.failed++;
      return failureOf(request.id, error);
    }
  }

  async function record(session: Session, answers: readonly NetResponse[]): Promise<void> {
    if (answers.length === 0) return;
    await recordResponses(session, answers);
    await unlock(
      session,
      answers.map(({ id }) => id),
    );
  }

  async function expire(session: Session, ttl: string): Promise<void> {
    try {
      while ((await deleteExpired(session, ttl, expiredAtOnce)) === expiredAtOnce);
    } catch (error) {
      // An invalid interval in the operator's setting must not stop the sender.
      if ((error as PostgresErrorShape).code !== '22007') throw error;
      log.warn({ ttl }, "pg_net.ttl isn't a valid interval, so responses are kept");
    }
  }

  return createWorker({ database, channel: 'plinth_net', log, name: 'pg_net', pollMs: netPollMs, work });
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
  const wanted = Number(setting ?? defaultBatchSize);
  if (!Number.isInteger(wanted) || wanted < 1) return defaultBatchSize;
  return Math.min(wanted, maxBatchSize);
}
