/**
 * Starts the API workers and keeps them running. A worker that exits is replaced, after a delay if it keeps exiting.
 * The other workers aren't affected and take over the connections that the exited worker hadn't accepted.
 */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Logger } from '../../base/kernel/log.ts';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import type { PemPair } from '../../base/kernel/tls.ts';
import type { Config } from '../../platform/config/index.ts';
import { restartDelayMs, stableMs } from './back-off.ts';
import type { StopRequest, WorkerFacts, WorkerMessage } from './messages.ts';
import { Tally } from './tally.ts';
import { type WorkerExit, WorkerProcess } from './worker-process.ts';

export interface WorkersOptions<Init> {
  readonly count: number;
  /** Starts a worker's program with an IPC channel that uses advanced serialization. */
  readonly fork: () => ChildProcess;
  /** Returns the data that a worker needs at startup. Called each time a worker starts. */
  readonly init: () => Init;
  readonly onEntries: (entries: Extract<WorkerMessage, { readonly kind: 'entries' }>, worker: number) => void;
  readonly onKeyUses: (uses: WorkerFacts['keyUses']) => void;
  readonly restoreLogins: () => Promise<void>;
  /** Returns the time limits for stopping workers during a rolling restart. */
  readonly retire: () => Omit<StopRequest, 'isLast'>;
  readonly log: Logger;
}

export interface WorkerStatus {
  /** The worker's number, starting at 1. A replacement has the same number as the worker that it replaces. */
  readonly number: number;
  readonly isReady: boolean;
  readonly pid: number | undefined;
  readonly facts: WorkerFacts | undefined;
}

export interface Workers {
  /** Resolves when all workers are ready. @throws {Error} if any worker can't start */
  start(): Promise<void>;
  /** Passes a connection to a worker. If no worker is ready, the connection is queued. */
  take(socket: Socket): void;
  /** Replaces all workers, one at a time. @throws {Error} if a replacement can't start */
  restart(): Promise<void>;
  setCertificates(pairs: readonly PemPair[]): void;
  setConfig(config: Config): void;
  status(): readonly WorkerStatus[];
  /** Returns the metrics of all workers added up, and the state of each worker as separate metrics. */
  metrics(): MetricValues;
  stop(request: Omit<StopRequest, 'isLast'>): Promise<void>;
}

interface Slot<Init> {
  readonly number: number;
  current: WorkerProcess<Init> | undefined;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/** The maximum number of connections that wait while no worker is ready. Additional connections are closed. */
const maxWaiting = 4096;
const startTimeoutMs = 60_000;
/** How long a worker may send no messages before it is considered stuck. Workers report once per second. */
const maxSilenceMs = 30_000;
const checkMs = 1000;

export function createWorkers<Init>(options: WorkersOptions<Init>): Workers {
  const { count, log } = options;
  const slots: Slot<Init>[] = Array.from({ length: count }, (_none, index) => ({
    number: index + 1,
    current: undefined,
    failures: 0,
    timer: undefined,
  }));
  const living = new Set<WorkerProcess<Init>>();
  const waiting: Socket[] = [];
  const tally = new Tally();
  let isStopping = false;
  let crashes = 0;
  let turn = 0;
  let watchdog: NodeJS.Timeout | undefined;
  let restarting: Promise<void> = Promise.resolve();

  /** Starts a worker process. `ready` resolves when the worker is ready. */
  function launch(slot: Slot<Init>, onLost: (exit: WorkerExit) => void) {
    const ready = Promise.withResolvers<void>();
    // Prevents an unhandled rejection. `onLost` also receives the error.
    ready.promise.catch(() => undefined);
    const worker: WorkerProcess<Init> = new WorkerProcess(options.fork(), options.init(), {
      onReady() {
        clearTimeout(timer);
        ready.resolve();
      },
      onMessage: (message) => receive(message, worker, slot),
      onExit(exit, unserved) {
        clearTimeout(timer);
        living.delete(worker);
        tally.keep(worker.facts?.metrics ?? {});
        ready.reject(new Error(`API worker ${slot.number} ${describe(exit)}`));
        onLost(exit);
        for (const socket of unserved) take(socket);
      },
    });
    living.add(worker);
    const timer = setTimeout(() => worker.kill(), startTimeoutMs).unref();
    return { worker, ready: ready.promise };
  }

  function receive(message: WorkerMessage, worker: WorkerProcess<Init>, { number }: Slot<Init>): void {
    if (message.kind === 'entries') options.onEntries(message, number);
    else if (message.kind === 'facts') options.onKeyUses(message.keyUses);
    else if (message.kind === 'restore-logins')
      options.restoreLogins().then(
        () => worker.send({ kind: 'logins-restored' }),
        (error: unknown) => worker.send({ kind: 'logins-restored', error: String(error) }),
      );
  }

  /** Starts the worker for a slot, and starts another one whenever a worker exits. */
  function fill(slot: Slot<Init>): Promise<void> {
    const { worker, ready } = launch(slot, (exit) => onCrash(slot, worker, exit));
    slot.current = worker;
    return ready.then(serveWaiting);
  }

  function onCrash(slot: Slot<Init>, worker: WorkerProcess<Init>, exit: WorkerExit): void {
    if (isStopping || slot.current !== worker) return;
    crashes += 1;
    slot.failures = performance.now() - worker.startedAt >= stableMs ? 0 : slot.failures + 1;
    slot.current = undefined;
    const delayMs = restartDelayMs(slot.failures);
    log.error(
      { worker: slot.number, pid: worker.pid, reason: exit.reason, delayMs },
      `an API worker ${describe(exit)} and is replaced`,
    );
    slot.timer = setTimeout(() => void fill(slot).catch(() => undefined), delayMs);
  }

  function take(socket: Socket): void {
    turn += 1;
    const best = leastLoaded(slots, turn);
    if (best !== undefined) {
      best.handOver(socket);
      return;
    }
    const last = [...living].find((worker) => !worker.isGone);
    if (isStopping && last !== undefined) last.handOver(socket);
    else if (isStopping || waiting.length >= maxWaiting) socket.destroy();
    else waiting.push(socket);
  }

  function serveWaiting(): void {
    for (const socket of waiting.splice(0)) take(socket);
  }

  async function replace(slot: Slot<Init>): Promise<void> {
    const predecessor = slot.current;
    if (isStopping || predecessor === undefined || !predecessor.isReady) return;
    const { worker, ready } = launch(slot, (exit) => onCrash(slot, worker, exit));
    await ready;
    // The slot's current worker is read only after the wait, because the previous worker may have crashed and been
    // replaced.
    const retired = slot.current;
    clearTimeout(slot.timer);
    slot.current = worker;
    serveWaiting();
    await retired?.stop({ ...options.retire(), isLast: false });
  }

  async function restartAll(): Promise<void> {
    log.info({ workers: count }, 'replacing the API workers one at a time');
    for (const slot of slots) await replace(slot);
    log.info({ workers: count }, 'replaced the API workers');
  }

  return {
    async start() {
      await Promise.all(slots.map((slot) => fill(slot)));
      watchdog = watchSilence(slots, log);
    },
    take,
    restart() {
      restarting = restarting.catch(() => undefined).then(restartAll);
      return restarting;
    },
    setCertificates(pairs) {
      for (const worker of living) worker.send({ kind: 'certificates', pairs });
    },
    setConfig(config) {
      for (const worker of living) worker.send({ kind: 'config', config });
    },
    status: () => slots.map(statusOf),
    metrics: () => ({
      ...tally.sum([...living].map(({ facts }) => facts?.metrics ?? {})),
      ...workerMetrics(slots.map(statusOf), crashes),
    }),
    async stop(request) {
      isStopping = true;
      clearInterval(watchdog);
      for (const slot of slots) clearTimeout(slot.timer);
      await Promise.all([...living].map((worker) => worker.stop({ ...request, isLast: true })));
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}

const statusOf = <Init>({ number, current }: Slot<Init>): WorkerStatus => ({
  number,
  isReady: current?.isReady ?? false,
  pid: current?.pid,
  facts: current?.facts,
});

function describe({ code, signal, reason }: WorkerExit): string {
  if (reason !== undefined) return `failed: ${reason}`;
  return signal === null ? `exited with status ${code}` : `was terminated by ${signal}`;
}

/** Kills workers that have stopped responding. Returns the timer. */
function watchSilence<Init>(slots: readonly Slot<Init>[], log: Logger): NodeJS.Timeout {
  let checkedAt = performance.now();
  return setInterval(() => {
    const now = performance.now();
    // If the main process was suspended, missing messages don't mean that a worker is stuck.
    const wasSuspended = now - checkedAt > 5 * checkMs;
    checkedAt = now;
    for (const { current, number } of slots) {
      if (current === undefined || !current.isReady) continue;
      if (wasSuspended) current.heardAt = now;
      if (now - current.heardAt <= maxSilenceMs) continue;
      log.error({ worker: number, pid: current.pid }, "an API worker doesn't respond and is killed");
      current.kill();
    }
  }, checkMs).unref();
}

/**
 * Returns the ready worker with the fewest connections. If several workers have the fewest connections, they take
 * turns.
 */
function leastLoaded<Init>(slots: readonly Slot<Init>[], turn: number): WorkerProcess<Init> | undefined {
  const ready = slots.flatMap(({ current }) => (current?.isReady ? [current] : []));
  const first = turn % Math.max(1, ready.length);
  const inTurn = [...ready.slice(first), ...ready.slice(0, first)];
  return inTurn.length === 0
    ? undefined
    : inTurn.reduce((least, one) => (one.load < least.load ? one : least));
}

function workerMetrics(all: readonly WorkerStatus[], crashes: number): MetricValues {
  const samples = (value: (status: WorkerStatus) => number | undefined): readonly Sample[] =>
    all.map((status) => [[String(status.number)], value(status) ?? 0]);
  return {
    plinth_worker_ready: samples(({ isReady }) => Number(isReady)),
    plinth_worker_connections: samples(({ facts }) => facts?.connections),
    plinth_worker_crashes_total: crashes,
  };
}
