/**
 * Starts workers: checks the imports of a function, creates the worker's folder, and after a failed start, delays the
 * next attempt.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/kernel/clock.ts';
import { isOutOfFiles } from '../../base/shared/errors.ts';
import { makeRunFolder } from '../../base/shared/run-folder.ts';
import { PackageError } from '../../platform/packages/index.ts';
import type { FunctionSource } from './catalog.ts';
import type { Limits } from './core/limits.ts';
import type { ModuleGraph } from './core/module-graph.ts';
import type { InspectMode } from './deno/arguments.ts';
import { type Graphs, mentionsTmp } from './deno/graph.ts';
import { startWorker, type Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import type { NewLogLine } from './logs.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface WorkerEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that Deno reads but that are hidden from the function. */
  readonly hidden: readonly string[];
}

export interface StarterOptions {
  readonly deno: string | undefined;
  /** Downloads Deno if necessary. Called before each use of Deno. */
  readonly ensureDeno: () => Promise<void>;
  readonly graphs: Graphs | undefined;
  readonly limits: Limits;
  readonly cacheDir: string;
  /** Returns the project files that a function can read. */
  readonly readable: (source: FunctionSource, graph: ModuleGraph | undefined) => readonly string[];
  readonly denyNet: () => readonly string[];
  readonly environment: (source: FunctionSource) => WorkerEnvironment;
  /** Returns the reason if a file with the function's variables is invalid. */
  readonly environmentFault: (source: FunctionSource) => string | undefined;
  /** Whether responses to uncaught errors include the stack trace. */
  readonly showsErrors: boolean;
  /** Returns the debugger's mode and port for a function. Called at each start of the function. */
  readonly inspect: (slug: string) => { readonly mode: InspectMode; readonly port: number } | undefined;
  readonly onWorkerExit: (worker: Worker) => void;
  /** Called with each line of a function's output, and with each note about a worker. */
  readonly onLine: (line: NewLogLine) => void;
  /** Called after each attempt to start a worker, with the duration, or with undefined if the start failed. */
  readonly onStart: (bootMs: number | undefined) => void;
  /** A monotonic clock. */
  readonly clock: Clock;
}

interface Failure {
  readonly at: number;
  readonly error: FunctionError;
}

/**
 * The delay after a failed start before the next attempt, so that a broken function doesn't use all of the CPU time.
 */
const bootBackoffMs = 250;

/** Adds a note about a worker to the log of the worker's function. */
export function note(
  { onLine }: Pick<StarterOptions, 'onLine'>,
  slug: string,
  line: string,
  requestId?: string,
): void {
  onLine({ function: slug, level: 'warn', line, requestId });
}

export class WorkerStarter {
  readonly #options: StarterOptions;
  readonly #pool: WorkerPool;
  readonly #failures = new Map<string, Failure>();
  #runFolder: string | undefined;
  #stopping = false;

  constructor(options: StarterOptions, pool: WorkerPool) {
    this.#options = options;
    this.#pool = pool;
  }

  /** The functions whose last start failed. */
  get failed(): Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'> {
    return this.#failures;
  }

  forgetFailure(slug: string): void {
    this.#failures.delete(slug);
  }

  /**
   * Checks the imports of a function and starts a worker. This method doesn't limit the number of running workers.
   * @throws {FunctionError} boot, noDeno
   */
  async start(source: FunctionSource, requestId?: string): Promise<Worker> {
    const { deno, graphs, clock, inspect } = this.#options;
    const { slug } = source;
    if (deno === undefined || graphs === undefined) throw new FunctionError(errors.noDeno);
    const failure = this.#failures.get(slug);
    if (failure !== undefined && clock.now() - failure.at < bootBackoffMs) throw failure.error;
    await this.#installDeno(slug);
    const fault = this.#options.environmentFault(source);
    if (fault !== undefined) {
      note(this.#options, slug, fault, requestId);
      throw this.#fail(slug, [fault]);
    }
    const graph = await graphs.of(source);
    if (this.#stopping) throw new FunctionError(errors.boot);
    if (graph !== undefined && graph.refused.length > 0) {
      const lines = graph.refused.map((file) => `A function isn't allowed to import ${file}`);
      for (const line of lines) note(this.#options, slug, line, requestId);
      throw this.#fail(slug, lines);
    }
    // Ends the function's other workers, because only one process can listen on the debugger's port.
    if (inspect(slug) !== undefined) await this.#pool.endAll(slug);
    const worker = this.#runOrReject(deno, source, graph);
    try {
      await worker.ready;
      this.#options.onStart(worker.bootMs);
      this.#failures.delete(slug);
      return worker;
    } catch {
      this.#options.onStart(undefined);
      // Waits for the exit and one more turn of the event loop, because the last part of Deno's error output may arrive
      // after the process has exited.
      await worker.exited;
      await new Promise((resolve) => setImmediate(resolve));
      const hint = bootHint(worker.lastErrors);
      note(this.#options, slug, hint, requestId);
      throw this.#fail(slug, [...worker.lastErrors, hint]);
    }
  }

  async #installDeno(slug: string): Promise<void> {
    try {
      await this.#options.ensureDeno();
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      const lines = [error.message, ...error.advice];
      for (const line of lines) note(this.#options, slug, line);
      throw this.#fail(slug, lines);
    }
  }

  /** Rejects all starts that haven't created a process yet. */
  stop(): void {
    this.#stopping = true;
  }

  removeRunFolder(): void {
    if (this.#runFolder !== undefined) rmSync(this.#runFolder, { recursive: true, force: true });
  }

  #fail(slug: string, details: readonly string[]): FunctionError {
    const error = new FunctionError(errors.boot, { details });
    this.#failures.set(slug, { at: this.#options.clock.now(), error });
    return error;
  }

  /**
   * Runs the worker and converts the error that occurs if no file descriptor is free.
   * @throws {FunctionError} overloaded, if all file descriptors are in use
   */
  #runOrReject(deno: string, source: FunctionSource, graph: ModuleGraph | undefined): Worker {
    try {
      return this.#run(deno, source, graph);
    } catch (error) {
      throw isOutOfFiles(error) ? new FunctionError(errors.overloaded) : error;
    }
  }

  #run(deno: string, source: FunctionSource, graph: ModuleGraph | undefined): Worker {
    const { cacheDir, readable, denyNet, environment, limits, showsErrors, inspect, clock, onLine } =
      this.#options;
    const { slug } = source;
    this.#runFolder ??= makeRunFolder('plinth-fn-', cacheDir);
    const { env, hidden } = environment(source);
    const name = createHash('sha256').update(slug).digest('hex').slice(0, 6);
    const worker = startWorker({
      deno,
      source,
      env,
      hiddenEnv: hidden,
      runDir: mkdtempSync(join(this.#runFolder, `${name}-`)),
      cacheDir,
      readable: readable(source, graph),
      redirectsNodeFiles: graph?.hasNodeModules === true && mentionsTmp(graph.files),
      denyNet: denyNet(),
      limits,
      showsErrors,
      inspect: inspect(slug),
      clock,
      onLine: (level, line, requestId) => onLine({ function: slug, level, line, requestId }),
      onExit: (ended) => this.#onExit(ended),
    });
    this.#pool.add(worker);
    return worker;
  }

  #onExit(worker: Worker): void {
    this.#options.onWorkerExit(worker);
    if (worker.outOfMemory) note(this.#options, worker.slug, 'worker ended: out of memory');
    else if (worker.ended === 'crash' && worker.bootMs !== undefined)
      note(this.#options, worker.slug, 'the worker ended unexpectedly');
    this.#pool.remove(worker);
  }
}

const network =
  /error sending request|dns error|Connection refused|timed out|manifest for .* failed to load/i;
const source = /(?:Import '|Failed loading |package manifest for ')([^'\s]+)/;

/**
 * Suggests how to fix a function that couldn't start, based on Deno's standard error output.
 * @example
 * bootHint(["error: Import 'https://a.test/x.ts' failed."]); // "https://a.test/x.ts couldn't be downloaded. …"
 */
export function bootHint(stderr: readonly string[]): string {
  const text = stderr.join('\n');
  const remote = source.exec(text)?.[1];
  if (/invalid peer certificate/i.test(text))
    return `The certificate of ${remote ?? 'a module host'} isn't trusted. If a proxy of your network intercepts TLS, set NODE_EXTRA_CA_CERTS to a file with its certificate authority, and start again.`;
  const isLocal = remote?.startsWith('file:') === true;
  if (!isLocal && (network.test(text) || (remote !== undefined && /\bfailed\b/i.test(text)))) {
    return `${remote ?? 'A module'} couldn't be downloaded. Modules downloaded earlier are cached and don't need a network. To include modules in the project, set "vendor": true in the function's deno.json, or add a node_modules folder beside it.`;
  }
  if (/expects the node_modules|not a dependency|Relative import path/.test(text))
    return "An import isn't defined. Add it to a deno.json beside the function, or begin it with npm:, jsr: or https:.";
  if (/\berror\b/i.test(text)) return "The function didn't start.";
  return 'The function ended without handling requests. Call Deno.serve(handler), or export default { fetch(request) {} }.';
}
