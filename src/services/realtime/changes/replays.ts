/**
 * Delivers missed changes to subscribers that have joined again after their process ended. Filters, privileges and
 * policies are evaluated for the new subscriber, so it receives only what it may see now. Subscribers from the same
 * process share the reading and the queries.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Place } from '../core/progress.ts';
import type { Resumed } from '../handover/queries.ts';
import type { Audience, Subscriber } from './audience.ts';
import type { IsWanted, Missed } from './missed.ts';

interface Request {
  readonly resumed: Resumed;
  readonly subscriber: Subscriber;
  /** Called once the missed changes were sent. `gap` is the reason why changes are missing. */
  readonly done: (fence: Place, gap: string | undefined) => void;
}

export interface ReplaysOptions {
  readonly log: Logger;
  readonly read: (resumed: Resumed, isWanted: IsWanted) => Promise<Missed>;
  readonly isWantedBy: (subscribers: readonly Subscriber[]) => IsWanted;
  readonly audiences: (subscribers: readonly Subscriber[]) => (oid: number) => Promise<Audience | undefined>;
  readonly deliver: (
    changes: Missed['changes'],
    audienceOf: (oid: number) => Promise<Audience | undefined>,
  ) => Promise<void>;
}

const maxBatch = 100;

export class Replays {
  readonly #options: ReplaysOptions;
  readonly #waiting = new Map<number, Request[]>();
  #isRunning = false;

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  /** The subscriber must already be registered for later changes. */
  add(request: Request): void {
    const { node } = request.resumed;
    const requests = this.#waiting.get(node);
    if (requests === undefined) this.#waiting.set(node, [request]);
    else requests.push(request);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        // Subscribers that join in the same moment share a reading.
        await new Promise(setImmediate);
        const [entry] = this.#waiting;
        if (entry === undefined) return;
        this.#waiting.delete(entry[0]);
        await this.#replay(entry[1]);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #replay(requests: readonly Request[]): Promise<void> {
    const { log, read, isWantedBy, audiences, deliver } = this.#options;
    const [{ resumed }] = requests as [Request, ...Request[]];
    const subscribers = requests.map(({ subscriber }) => subscriber);
    let fence: Place = resumed.place;
    let gap: string | undefined;
    try {
      const missed = await read(resumed, isWantedBy(subscribers));
      fence = missed.fence;
      gap = missed.gap;
      const audienceOf = audiences(subscribers);
      for (let at = 0; at < missed.changes.length; at += maxBatch)
        await deliver(missed.changes.slice(at, at + maxBatch), audienceOf);
    } catch (error) {
      log.error({ error, channels: requests.length }, 'failed to deliver missed changes');
      gap = 'an internal error occurred';
    }
    log.info({ channels: requests.length, planned: resumed.planned, gap }, 'delivered missed changes');
    for (const { done } of requests) done(fence, gap);
  }
}
