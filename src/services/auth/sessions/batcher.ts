import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Combines calls into batches, for operations that are cheaper if they process several inputs together. Calls made
 * while a batch is running form the next batch. If no batch is running, a call starts a batch immediately.
 */
export interface BatcherOptions<Q, A> {
  /**
   * Processes a batch in the asynchronous context of its first call. Returns one result per input in the same order. If
   * this function throws, every call in the batch rejects with the error.
   */
  readonly work: (inputs: readonly Q[]) => Promise<readonly A[]>;
  readonly maxBatchSize: number;
  /** After this duration, a running batch no longer delays the next one. */
  readonly slowAfterMs: number;
  /**
   * The maximum number of concurrent batches. While a batch is running, another batch starts only if the newest running
   * batch has exceeded `slowAfterMs`.
   */
  readonly maxConcurrent: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly monotonicMs?: () => number;
}

interface PendingCall<Q, A> {
  readonly input: Q;
  readonly resolve: (result: A) => void;
  readonly reject: (error: unknown) => void;
  /** Runs a function in the asynchronous context of the call. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * Returns a function that adds an input to a batch and resolves with the input's result.
 *
 * @example const load = createBatcher({ work: loadRows, maxBatchSize: 16, slowAfterMs: 25, maxConcurrent: 4 })
 */
export function createBatcher<Q, A>(options: BatcherOptions<Q, A>): (input: Q) => Promise<A> {
  const { work, maxBatchSize, slowAfterMs, maxConcurrent, monotonicMs = () => performance.now() } = options;
  const pending: PendingCall<Q, A>[] = [];
  let running = 0;
  let startedAtMs = 0;

  const startNext = () => {
    const mayStart = running === 0 || (running < maxConcurrent && monotonicMs() - startedAtMs > slowAfterMs);
    if (mayStart && pending.length > 0) void run(pending.splice(0, maxBatchSize));
  };

  const run = async (batch: readonly PendingCall<Q, A>[]) => {
    running++;
    startedAtMs = monotonicMs();
    try {
      const inputs = batch.map(({ input }) => input);
      const results = await (batch[0]?.inContext(work, inputs) ?? []);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as A);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      startNext();
    }
  };

  return (input) =>
    new Promise((resolve, reject) => {
      pending.push({ input, resolve, reject, inContext: AsyncLocalStorage.snapshot() });
      startNext();
    });
}
