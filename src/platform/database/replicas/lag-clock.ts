/**
 * Measures how long ago the primary was at the position that a replica has replayed. The clocks of the servers aren't
 * compared, and an idle primary doesn't look like a lag.
 */

interface Sample {
  readonly lsn: bigint;
  readonly at: number;
}

/** The maximum number of samples, which limits the longest lag that can be measured. */
const MAX_SAMPLES = 900;

export class LagClock {
  /** The positions of the primary, in ascending order. `at` is the time at which the primary had reached the position. */
  readonly #samples: Sample[] = [];

  /** The latest known position of the primary. */
  get latest(): bigint | undefined {
    return this.#samples.at(-1)?.lsn;
  }

  record(lsn: bigint, at: number): void {
    const last = this.#samples.at(-1);
    // After a failover, the new primary can be behind the position of the previous primary.
    if (last !== undefined && lsn < last.lsn) this.#samples.length = 0;
    if (lsn !== last?.lsn) this.#samples.push({ lsn, at });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** Returns the lag in milliseconds of a replica that has replayed the log up to `replayed`. */
  lagMs(replayed: bigint, now: number): number {
    let missed: Sample | undefined;
    for (let index = this.#samples.length - 1; index >= 0; index--) {
      const sample = this.#samples[index] as Sample;
      if (sample.lsn <= replayed) break;
      missed = sample;
    }
    return missed === undefined ? 0 : now - missed.at;
  }
}
