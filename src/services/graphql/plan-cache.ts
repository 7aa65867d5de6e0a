/** Caches the plans of one schema. */
import type { EndpointSpeed } from '../rest/index.ts';
import type { Plan } from './core/index.ts';
import { Lru } from './lru.ts';

/** The maximum number of plans. */
const MAX_PLANS = 500;
/** The maximum length of a request whose plan is cached. Longer requests are rarely repeated. */
const MAX_REQUEST_LENGTH = 16 * 1024;
/** The maximum number of statements whose speed is known. */
const MAX_SPEEDS = 1000;

export class PlanCache {
  readonly #plans = new Lru<Plan>(MAX_PLANS);
  readonly #speeds = new Lru<EndpointSpeed>(MAX_SPEEDS);

  /** Returns the plan of a request by its whole text, which includes the variables. */
  get(request: string): Plan | undefined {
    return request.length > MAX_REQUEST_LENGTH ? undefined : this.#plans.get(request);
  }

  set(request: string, plan: Plan): void {
    if (request.length <= MAX_REQUEST_LENGTH) this.#plans.set(request, plan);
  }

  /** Returns the speed of a statement, which all requests with the same text share. */
  speedOf(statement: string, create: () => EndpointSpeed): EndpointSpeed {
    let speed = this.#speeds.get(statement);
    if (speed === undefined) {
      speed = create();
      this.#speeds.set(statement, speed);
    }
    return speed;
  }
}
