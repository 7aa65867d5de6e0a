/**
 * Plans the requests of `graphql.resolve`. The extension's function `graphql._plan` sends the request, with the role and
 * the search path of its caller and the state of the catalogs, and executes the plan. If the schema for that state isn't
 * known, the function is first asked for the catalog (docs/decisions/0112-graphql-in-the-session.md).
 */
import { catalogStatement } from './catalog-statement.ts';
import { GraphqlError } from './core/error.ts';
import { type GraphqlRequest, type Plan, refusal } from './core/index.ts';
import { withAllDigits } from './core/read-call.ts';
import { Lru } from './lru.ts';
import type { SchemaStore, StoredSchema } from './schema-store.ts';
import type { Settings } from './settings.ts';

/** The maximum number of states for which the schema is known. */
const MAX_STATES = 200;

/** The question of `graphql._plan`. Only that function can ask, so the question is always well-formed. */
interface Question {
  readonly request: GraphqlRequest;
  readonly role: string;
  readonly schemas: readonly string[];
  readonly state: string;
  /** The JSON text of the catalog, if the reply to the first question requested it. */
  readonly catalog?: string;
}

export interface AnswerDeps {
  readonly store: SchemaStore;
  readonly settings: () => Settings;
}

/** Returns the function that answers the questions of the extension. */
export function createAnswer({ store, settings }: AnswerDeps): (question: string) => Promise<string> {
  const states = new Lru<StoredSchema>(MAX_STATES);
  return async (text) => {
    const { request, role, schemas, state, catalog } = JSON.parse(text, withAllDigits) as Question;
    const key = JSON.stringify([role, schemas, state]);
    let found = states.get(key);
    if (found === undefined) {
      if (catalog === undefined)
        return JSON.stringify({ catalogStatement: `select (${catalogStatement()})::text` });
      try {
        found = store.of(catalog);
      } catch (error) {
        if (!(error instanceof GraphqlError)) throw error;
        return storable(replyOf(refusal(error.message)));
      }
      states.set(key, found);
    }
    const options = { placeholders: 'array', jsonBytes: text.length } as const;
    return storable(replyOf(await found.plan(request, settings().limits, options)));
  };
}

/** Returns the JSON text of the reply that the functions of the extension read. */
function replyOf(made: Plan): string {
  if (made.kind === 'response') return `{"response":${made.json}}`;
  if (made.kind === 'query')
    return JSON.stringify({
      steps: [made.statement],
      ...(made.errors.length === 0 ? {} : { errors: made.errors }),
    });
  const steps = made.steps.map((step) => {
    if (step.kind === 'constant') return `{"key":${JSON.stringify(step.key)},"value":${step.json}}`;
    const { key, statement, limit } = step;
    return JSON.stringify({ key, ...statement, ...(limit === null ? {} : { limit }) });
  });
  return `{"steps":[${steps.join(',')}]}`;
}

/** Removes null characters from JSON, which text in PostgreSQL can't contain. */
const storable = (json: string): string => json.replaceAll(escapedNul, '$<before>\\ufffd');
/** A null character in JSON, but not a backslash in front of the text `u0000`. */
const escapedNul = /(?<before>(?<!\\)(?:\\\\)*)\\u0000/g;
