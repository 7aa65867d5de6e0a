/** An API worker from the main process's perspective. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { MainMessage, StopRequest, WorkerFacts, WorkerMessage } from './messages.ts';

export interface WorkerEvents {
  readonly onReady: () => void;
  /** Called for each message from the worker except `ready`, `failed` and `accepted`. */
  readonly onMessage: (message: WorkerMessage) => void;
  /** Called once when the worker exits. `unserved` contains the connections that the worker hadn't accepted. */
  readonly onExit: (exit: WorkerExit, unserved: readonly Socket[]) => void;
}

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The reason that the worker reported if it failed to start. */
  readonly reason: string | undefined;
}

export class WorkerProcess<Init> {
  readonly startedAt = performance.now();
  readonly pid: number | undefined;
  facts: WorkerFacts | undefined;
  /** The time of the worker's last message, as returned by `performance.now()`. */
  heardAt = performance.now();
  #state: 'starting' | 'ready' | 'stopping' | 'gone' = 'starting';
  readonly #child: ChildProcess;
  readonly #unserved = new Map<number, Socket>();
  #nextId = 0;
  #handedSinceFacts = 0;
  #reason: string | undefined;
  readonly #exited = Promise.withResolvers<void>();

  constructor(child: ChildProcess, init: Init, events: WorkerEvents) {
    this.#child = child;
    this.pid = child.pid;
    const gone = (exit: Omit<WorkerExit, 'reason'>): void => {
      if (this.#state === 'gone') return;
      this.#state = 'gone';
      this.#exited.resolve();
      events.onExit({ ...exit, reason: this.#reason }, [...this.#unserved.values()]);
      this.#unserved.clear();
    };
    child.on('error', (error) => {
      this.#reason ??= error.message;
      if (child.pid === undefined) gone({ code: null, signal: null });
    });
    child.on('exit', (code, signal) => gone({ code, signal }));
    child.on('message', (message: WorkerMessage) => this.#receive(message, events));
    this.send({ kind: 'init', init });
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get isGone(): boolean {
    return this.#state === 'gone';
  }

  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** The approximate number of open connections. */
  get load(): number {
    return (this.facts?.connections ?? 0) + this.#handedSinceFacts;
  }

  send(message: MainMessage<Init>): void {
    // Errors from the child process are ignored because the worker's exit is reported separately.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Passes a connection to the worker. The main process keeps the connection open until the worker has accepted it. */
  handOver(socket: Socket): void {
    const id = this.#nextId++;
    this.#unserved.set(id, socket);
    this.#handedSinceFacts += 1;
    // Errors are ignored because they mean that the worker has exited or the client has disconnected. Both cases are
    // handled elsewhere.
    if (this.#child.connected)
      this.#child.send({ kind: 'connection', id }, socket, { keepOpen: true }, () => undefined);
  }

  /** Stops the worker after its requests in progress are complete. Resolves when the worker has exited. */
  stop(request: StopRequest): Promise<void> {
    if (this.#state === 'gone') return this.exited;
    this.#state = 'stopping';
    this.send({ kind: 'stop', ...request });
    const timer = setTimeout(() => this.kill(), request.drainMs + request.graceMs + killAfterMs).unref();
    return this.exited.finally(() => clearTimeout(timer));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: WorkerMessage, { onReady, onMessage }: WorkerEvents): void {
    this.heardAt = performance.now();
    switch (message.kind) {
      case 'ready':
        if (this.#state !== 'starting') return;
        this.#state = 'ready';
        onReady();
        return;
      case 'failed':
        this.#reason = message.message;
        return;
      case 'accepted': {
        const socket = this.#unserved.get(message.id);
        this.#unserved.delete(message.id);
        socket?.destroy();
        return;
      }
      case 'facts':
        this.facts = message;
        this.#handedSinceFacts = 0;
        onMessage(message);
        return;
      default:
        onMessage(message);
    }
  }
}

/**
 * How long to wait, after the time limits in a stop request have passed, before killing a worker that hasn't exited.
 */
const killAfterMs = 5000;
