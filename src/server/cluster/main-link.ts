/**
 * A worker's connection to the main process. If the main process exits, the worker also exits, because a worker can't
 * serve requests on its own.
 */

import type { Socket } from 'node:net';
import type { LogFields, Logger } from '../../base/kernel/log.ts';
import type { PemPair } from '../../base/kernel/tls.ts';
import { type RequestRecord, Trace, traces } from '../../base/kernel/trace.ts';
import type { Config } from '../../platform/config/index.ts';
import { Entries } from './entries.ts';
import { packFields } from './lines.ts';
import type { Line, MainMessage, StopRequest, WorkerFacts, WorkerMessage } from './messages.ts';

const factsMs = 1000;

export interface MessageHandlers {
  readonly onConnection: (socket: Socket) => void;
  readonly onConfig: (config: Config) => void;
  readonly onCertificates: (pairs: readonly PemPair[]) => void;
  /** Stops the worker. The worker process exits afterward. */
  readonly onStop: (request: StopRequest) => Promise<void>;
  readonly facts: () => WorkerFacts;
}

export interface MainLink<Init> {
  /** Resolves with the startup data, which is in the first message from the main process. */
  readonly init: Promise<Init>;
  /** Writes to the main process's log. */
  readonly log: Logger;
  setLevel(level: string): void;
  requestEnded(record: RequestRecord): void;
  /** Resolves when the main process has reset the passwords of the login roles. */
  restoreLogins(): Promise<void>;
  /** Reports that the worker can serve connections. */
  ready(handlers: MessageHandlers): void;
  /** Reports that the worker couldn't start. The worker process exits afterward. */
  failed(error: unknown): void;
}

/** The exit status of a worker whose main process has exited. */
const orphaned = 70;

/**
 * Connects to the main process.
 *
 * @param onGone called before this process exits because the main process has exited
 */
export function connectToMain<Init>(onGone: () => void): MainLink<Init> {
  const init = Promise.withResolvers<Init>();
  const restoring: PromiseWithResolvers<void>[] = [];
  let handlers: MessageHandlers | undefined;
  let level: Line['level'] = 'info';
  let report: (() => void) | undefined;

  const send = (message: WorkerMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      if (process.connected)
        process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
      else reject(new Error('the main process has exited'));
    });
  const tell = (message: WorkerMessage): void => void send(message).catch(() => undefined);
  const entries = new Entries((lines, records) => send({ kind: 'entries', lines, records }));

  process.on('disconnect', () => {
    onGone();
    process.exit(orphaned);
  });
  // Ignores signals, because a terminal and systemd send signals to all processes, but only the main process handles
  // them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)
    process.on(signal, () => undefined);
  process.on('message', (message: MainMessage<Init>, socket: unknown) => {
    switch (message.kind) {
      case 'init':
        init.resolve(message.init);
        return;
      case 'connection':
        // This message must be the first message after a connection arrives. If the worker exits before sending this
        // message, the main process passes the connection to another worker.
        tell({ kind: 'accepted', id: message.id });
        // The socket is undefined if the client has already disconnected.
        if (socket !== undefined) handlers?.onConnection(socket as Socket);
        return;
      case 'certificates':
        handlers?.onCertificates(message.pairs);
        return;
      case 'config':
        handlers?.onConfig(message.config);
        return;
      case 'logins-restored':
        for (const one of restoring.splice(0))
          if (message.error === undefined) one.resolve();
          else one.reject(new Error(message.error));
        return;
      case 'stop':
        void stop(message);
    }
  });

  async function stop(request: StopRequest): Promise<void> {
    try {
      await handlers?.onStop(request);
    } finally {
      report?.();
      await entries.flush();
      process.exit(0);
    }
  }

  function startFacts({ facts }: MessageHandlers): void {
    report = (): void => {
      const current = facts();
      const metrics = { ...current.metrics, plinth_log_dropped_lines_total: entries.dropped };
      tell({ kind: 'facts', ...current, metrics });
    };
    setInterval(() => report?.(), factsMs).unref();
  }

  return {
    init: init.promise,
    log: remoteLogger(
      {},
      () => level,
      (line) => entries.addLine(line),
    ),
    setLevel(next) {
      level = next as Line['level'];
    },
    requestEnded: (record) => entries.addRecord({ ...record, trace: record.trace && sendable(record.trace) }),
    restoreLogins() {
      const one = Promise.withResolvers<void>();
      restoring.push(one);
      if (restoring.length === 1) tell({ kind: 'restore-logins' });
      return one.promise;
    },
    ready(given) {
      handlers = given;
      startFacts(given);
      tell({ kind: 'ready' });
    },
    failed(error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      void send({ kind: 'failed', message }).finally(() => process.exit(1));
    },
  };
}

const ranks: Readonly<Record<Line['level'], number>> = { debug: 0, info: 1, warn: 2, error: 3 };

function remoteLogger(own: LogFields, level: () => Line['level'], write: (line: Line) => void): Logger {
  const at =
    (rank: Line['level']) =>
    (given: LogFields, message: string): void => {
      if (ranks[rank] < (ranks[level()] ?? 0)) return;
      const requestId = traces.getStore()?.requestId;
      const fields = { ...own, ...(requestId === undefined ? {} : { requestId }), ...given };
      write({ level: rank, fields: packFields(fields), message });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => remoteLogger({ ...own, ...fields }, level, write),
  };
}

/**
 * Returns the trace without the configuration, because the configuration would otherwise be sent with every request.
 */
const sendable = (trace: Trace): Trace => Object.assign(new Trace('', 0), trace, { config: undefined });
