/** Measures the duration of each request stage for the Server-Timing header. */

export type Stage = 'jwt' | 'parse' | 'plan' | 'transaction' | 'response';

const STAGES: readonly Stage[] = ['jwt', 'parse', 'plan', 'transaction', 'response'];

export class ServerTiming {
  readonly #durations: Partial<Record<Stage, number>> = {};
  #since = performance.now();

  /** Ends the current stage, starts the next stage, and returns the duration of the ended stage in milliseconds. */
  end(stage: Stage): number {
    const now = performance.now();
    const durationMs = now - this.#since;
    this.#durations[stage] = durationMs;
    this.#since = now;
    return durationMs;
  }

  header(): readonly [string, string] {
    return [
      'Server-Timing',
      STAGES.map((stage) => `${stage};dur=${(this.#durations[stage] ?? 0).toFixed(1)}`).join(', '),
    ];
  }
}
