/** How long each stage of a request took, for the Server-Timing header. */

export type Stage = 'jwt' | 'parse' | 'plan' | 'transaction' | 'response';

const STAGES: readonly Stage[] = ['jwt', 'parse', 'plan', 'transaction', 'response'];

export class ServerTiming {
  readonly #durations: Partial<Record<Stage, number>> = {};
  #since = performance.now();

  /** Ends a stage and begins the next one; gives the stage's milliseconds. */
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
