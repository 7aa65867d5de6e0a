/**
 * Work that costs less when it is done together: whatever is asked for while some of it is under way waits for that, and
 * is then done at once. Nobody waits for company.
 */
export interface GatheringOptions<Q, A> {
  /** Answers in the order of the questions. What it throws, all of them get. */
  readonly work: (questions: readonly Q[]) => Promise<readonly A[]>;
  /** Questions at most at a time. */
  readonly most: number;
  /** Work that takes longer than this no longer holds up others; so much of it side by side. */
  readonly patienceMs: number;
  readonly lanes: number;
  /** Milliseconds that only ever grow. */
  readonly monotonicMs?: () => number;
}

interface Waiting<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** @returns the way to ask */
export function createGathering<Q, A>(options: GatheringOptions<Q, A>): (question: Q) => Promise<A> {
  const { work, most, patienceMs, lanes, monotonicMs = () => performance.now() } = options;
  const waiting: Waiting<Q, A>[] = [];
  let running = 0;
  let begunAtMs = 0;

  const beginWhatMay = () => {
    const mayBegin = running === 0 || (running < lanes && monotonicMs() - begunAtMs > patienceMs);
    if (mayBegin && waiting.length > 0) void begin(waiting.splice(0, most));
  };

  const begin = async (taken: readonly Waiting<Q, A>[]) => {
    running++;
    begunAtMs = monotonicMs();
    try {
      const answers = await work(taken.map(({ question }) => question));
      for (const [index, { resolve }] of taken.entries()) resolve(answers[index] as A);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      running--;
      beginWhatMay();
    }
  };

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      beginWhatMay();
    });
}
