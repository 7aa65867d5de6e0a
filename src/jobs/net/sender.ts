/**
 * pg_net's worker: sends what is committed to the queue, many at a time, and writes the answers. A request is delivered
 * at least once: until its answer is committed it stays in the queue, whoever is killed. Several processes share it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, PostgresErrorShape, Session } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Exchanges } from '../exchange.ts';
import { createWorker, type Turn, type Worker } from '../worker.ts';
import { answerOf, failureOf } from './answer.ts';
import {
  type Answer,
  claim,
  deleteExpired,
  type QueuedRequest,
  readClaimed,
  readSettings,
  recordAnswers,
  unlock,
} from './queries.ts';

export const netVersion = '0.19.5';
/** Under way at once in a process, unless `pg_net.batch_size` says otherwise. */
export const defaultBatchSize = 64;
export const maxBatchSize = 500;
/** Answers are kept for as long, unless `pg_net.ttl` says otherwise. */
export const defaultTtl = '6 hours';
export const maxRequestTimeoutMs = 600_000;
/** Without a notification the queue is looked at as often: another process may have died over a request. */
export const netPollMs = 60_000;
const maxRedirects = 20;
const expiredAtOnce = 5_000;
const housekeepingMs = 60_000;
const stopGraceMs = 3_000;

export interface NetCounts {
  /** Requests that were answered, by whatever status, and those that failed, since the process began. */
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
  // Of the work that goes on: its end breaks off what is under way, since its claims end with its session.
  let ending = new AbortController();
  let underWay = 0;
  let finished: Answer[] = [];
  let answered = Promise.withResolvers<void>();

  async function work(turn: Turn): Promise<undefined> {
    const session = await pool.connect();
    try {
      // Under steady traffic one drain may last for days: what belongs to it is looked at anew now and then.
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
      // The extension was dropped meanwhile: nothing is left to be sent.
      if (!['42P01', '3F000'].includes((error as PostgresErrorShape).code)) throw error;
    } finally {
      ending.abort();
      ending = new AbortController();
      underWay = 0;
      finished = [];
      exchanges.rest();
    }
  }

  /** True when the queue has nothing for us and nothing is under way; false when it is time for the settings. */
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

  /** At a stop: what ends soon is recorded, so that it is not sent again at the next start. */
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

  /** Undefined when it was broken off by us: then there is nothing to record. */
  async function answerTo(request: QueuedRequest, signal: AbortSignal): Promise<Answer | undefined> {
    try {
      const answer = await exchanges.send(exchangeOf(request), signal);
      counts.answered++;
      return answerOf(request.id, answer);
    } catch (error) {
      if (signal.aborted) return undefined;
      counts.failed++;
      return failureOf(request.id, error);
    }
  }

  async function record(session: Session, answers: readonly Answer[]): Promise<void> {
    if (answers.length === 0) return;
    await recordAnswers(session, answers);
    await unlock(
      session,
      answers.map(({ id }) => id),
    );
  }

  async function expire(session: Session, ttl: string): Promise<void> {
    try {
      while ((await deleteExpired(session, ttl, expiredAtOnce)) === expiredAtOnce);
    } catch (error) {
      // Not an interval: what the operator wrote is no reason to stop sending.
      if ((error as PostgresErrorShape).code !== '22007') throw error;
      log.warn({ ttl }, 'pg_net.ttl is no interval; answers are kept until it is one');
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
