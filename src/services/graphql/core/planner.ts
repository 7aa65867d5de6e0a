/**
 * Plans requests, and remembers the plans of one schema. A plan is used again for requests with the same document whose
 * variables differ only in values, so that most requests are neither parsed nor compiled.
 */

import { shapeOf, type Variables } from './coerce/given.ts';
import { GraphqlError } from './error.ts';
import { type GraphqlRequest, type Plan, type PlanOptions, refusal } from './plan.ts';
import { type PreparedPlan, prepare } from './prepare.ts';
import type { Document } from './request/ast.ts';
import { parse } from './request/parse.ts';
import type { Schema } from './schema/types.ts';

/** The maximum length of a remembered document, and of the description of the variables. Longer ones rarely recur. */
const MAX_LENGTH = 16 * 1024;
/** The maximum number of remembered plans per document. */
const MAX_PLANS = 50;
/** The maximum size of all remembered documents and statements, in characters. */
const MAX_SIZE = 8 * 1024 * 1024;

interface Known {
  readonly document: Document;
  /** The plans by the shape of the variables. Those of one shape differ in what they pin. */
  readonly plans: Map<string, PreparedPlan[]>;
  count: number;
  /** The number of characters in the document and in the statements. */
  size: number;
}

export class Planner {
  readonly #schema: Schema;
  readonly #known = new Map<string, Known>();
  #size = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Plans a request. Never throws for a faulty request: the errors are part of the plan. */
  plan(request: GraphqlRequest, options?: PlanOptions): Plan {
    return completed(this.planInSteps(request, options));
  }

  /** Like `plan`, but yields when other work can be done. Most requests are planned in one step. */
  *planInSteps(
    request: GraphqlRequest,
    { placeholders }: PlanOptions = { placeholders: 'parameters' },
  ): Generator<void, Plan> {
    try {
      const variables = variablesOf(request);
      const known = this.#documentOf(request, placeholders);
      const shape = shapeOf(variables);
      const plans = known.plans.get(shape);
      const found = plans?.find(({ pins }) => pins.every(({ read, value }) => read(variables) === value));
      if (found !== undefined) return found.bind(variables);
      const made = yield* prepare(this.#schema, {
        document: known.document,
        operationName: request.operationName,
        variables,
        placeholders,
      });
      if (known.count < MAX_PLANS && shape.length <= MAX_LENGTH) {
        const others = known.plans.get(shape);
        if (others === undefined) known.plans.set(shape, [made]);
        else others.push(made);
        known.count += 1;
        this.#grow(known, made.size + shape.length);
      }
      return made.bind(variables);
    } catch (error) {
      if (!(error instanceof GraphqlError)) throw error;
      return refusal(error.message);
    }
  }

  #documentOf({ query, operationName }: GraphqlRequest, placeholders: string): Known {
    const source = query ?? '';
    const key = `${placeholders} ${JSON.stringify(operationName)} ${source}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      // The document that was used last is forgotten last.
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const made = { document: parse(source), plans: new Map<string, PreparedPlan[]>(), count: 0, size: 0 };
    if (source.length > MAX_LENGTH) return { ...made, count: MAX_PLANS };
    this.#known.set(key, made);
    this.#grow(made, source.length);
    return made;
  }

  #grow(known: Known, size: number): void {
    known.size += size;
    this.#size += size;
    for (const [key, oldest] of this.#known) {
      if (this.#size <= MAX_SIZE) return;
      this.#known.delete(key);
      this.#size -= oldest.size;
      // A plan may still be added to the document, which must not count.
      oldest.count = MAX_PLANS;
    }
  }
}

/** Runs all steps. */
export function completed<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function variablesOf({ variables }: GraphqlRequest): Variables {
  if (variables === null || variables === undefined) return {};
  if (typeof variables !== 'object' || Array.isArray(variables)) {
    throw new GraphqlError('variables must be an object');
  }
  return variables as Variables;
}

/**
 * Plans a request. Never throws for a faulty request: the errors are part of the plan.
 *
 * @example
 * plan(schema, { query: '{ accountCollection { edges { node { id } } } }', variables: {}, operationName: null })
 */
export const plan = (schema: Schema, request: GraphqlRequest, options?: PlanOptions): Plan =>
  new Planner(schema).plan(request, options);
