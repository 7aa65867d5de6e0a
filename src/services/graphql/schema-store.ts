/**
 * Stores the schemas that were built from catalogs, with the plans of their requests. Equal catalogs share a schema, so
 * the roles of many search paths and the sessions of many users need only one.
 */
import { createHash } from 'node:crypto';
import { inSlices } from '../../base/shared/slices.ts';
import { buildSchema, readCatalog } from './core/index.ts';
import { LimitCheck, type Limits } from './core/limits.ts';
import { type GraphqlRequest, type Plan, type PlanOptions, refusal } from './core/plan.ts';
import { Planner } from './core/planner.ts';
import { Lru } from './lru.ts';
import { PlanCache } from './plan-cache.ts';

/** The maximum number of schemas. A schema of 100 tables uses about 1 MB. */
const MAX_SCHEMAS = 32;

export interface StoredSchema {
  /**
   * Plans a request, unless it exceeds a limit. `jsonBytes` is the size of the request as JSON. Only the introspection of
   * a whole schema returns a promise, because it is answered in slices.
   */
  plan(
    request: GraphqlRequest,
    limits: Limits,
    options: PlanOptions & { readonly jsonBytes: number },
  ): Plan | Promise<Plan>;
  readonly plans: PlanCache;
}

export class SchemaStore {
  readonly #schemas = new Lru<StoredSchema>(MAX_SCHEMAS);

  /** Returns the schema of a catalog, which is the JSON text of the catalog's statement. */
  of(catalog: string): StoredSchema {
    const hash = createHash('sha256').update(catalog).digest('base64');
    const known = this.#schemas.get(hash);
    if (known !== undefined) return known;
    const stored = createStoredSchema(catalog);
    this.#schemas.set(hash, stored);
    return stored;
  }

  clear(): void {
    this.#schemas.clear();
  }
}

function createStoredSchema(catalog: string): StoredSchema {
  const schema = buildSchema(readCatalog(JSON.parse(catalog)));
  const planner = new Planner(schema);
  const check = new LimitCheck(schema);
  /** Resolves when no request is answered in slices. */
  let sliced: Promise<void> = Promise.resolve();
  return {
    plan(request, limits, { placeholders, jsonBytes }) {
      const message = check.errorOf(request, limits, jsonBytes);
      if (message !== undefined) return refusal(message);
      const steps = () => planner.planInSteps(request, { placeholders });
      const first = steps().next();
      if (first.done === true) return first.value;
      // One after another, so that requests with the same query use the first one's answer.
      const made = sliced.then(() => inSlices(steps()));
      sliced = made.then(
        () => undefined,
        () => undefined,
      );
      return made;
    },
    plans: new PlanCache(),
  };
}
