/** Defines what is known about a request when its caller has been authenticated. */
import type { Clock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Identity } from './core/authenticate.ts';
import type { RestRequest } from './core/request.ts';
import type { ConstantSlots } from './core/shapes.ts';
import type { Advise } from './privileges/index.ts';
import type { ResponseStorage } from './responses/storage.ts';
import type { Snapshot } from './state.ts';

/** The parts of the server that the pipeline uses. They are the same for all requests. */
export interface PipelineDeps {
  readonly requestPath: Pick<Database['requestPath'], 'execute' | 'hasReplicas'>;
  readonly advise: Advise;
  readonly verify: Keys['verify'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly responseStorage: ResponseStorage;
  /** The state of the disk that the embedded database uses. */
  readonly disk: DiskState;
  /** Called with the identity after the request has been authenticated. */
  readonly onIdentity?: (identity: Identity) => void;
  /** Returns the value of the Retry-After header, in seconds, if the database is unreachable. Defaults to 1. */
  readonly retryAfterSeconds?: () => number;
  /** Returns a sentence about migrations that aren't applied. Undefined if all migrations are applied. */
  readonly pendingMigrations?: () => Promise<string | undefined>;
  /** Undefined if the login role can't read statistics. */
  readonly constantSlots?: ConstantSlots | undefined;
  /** Returns the latest schema cache and settings. Returns a promise only until the first load has finished. */
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
}

/** One request, which all stages after the authentication receive. */
export interface Run {
  readonly request: RestRequest;
  readonly identity: Identity;
  /** The schema cache and the settings that apply to the whole request. */
  readonly snapshot: Snapshot;
  readonly deps: PipelineDeps;
  readonly timing: ServerTiming;
}

type Stage = 'jwt' | 'parse' | 'plan' | 'transaction' | 'response';

const STAGES: readonly Stage[] = ['jwt', 'parse', 'plan', 'transaction', 'response'];

/** Measures the duration of each request stage for the Server-Timing header. */
export class ServerTiming {
  readonly #durations: Partial<Record<Stage, number>> = {};
  #since = performance.now();

  /** Ends the current stage and starts the next stage. */
  end(stage: Stage): void {
    const now = performance.now();
    this.#durations[stage] = now - this.#since;
    this.#since = now;
  }

  header(): readonly [string, string] {
    return [
      'Server-Timing',
      STAGES.map((stage) => `${stage};dur=${(this.#durations[stage] ?? 0).toFixed(1)}`).join(', '),
    ];
  }
}
