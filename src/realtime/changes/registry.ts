/**
 * Stores subscribers and table audiences. An audience is created at the table's first change. It is discarded when
 * PostgreSQL describes the table again or the publication changes.
 */
import type { Pool, PostgresErrorShape } from '../../database/types.ts';
import { type ChangeRequest, describeRequest, matchesName } from '../core/filter.ts';
import type { ValidCondition } from '../core/filter-match.ts';
import type { Relation } from '../core/pgoutput.ts';
import { isServerResponse } from '../core/server-response.ts';
import { type Audience, createAudience, enter, leaveAll, type Subscriber } from './audience.ts';
import type { Catalog, PublishedTable } from './catalog.ts';
import { checkSubscription } from './checks.ts';

/** Whether the subscription was accepted, or the error message for the client. */
export type Admission =
  | { readonly ok: true }
  /** `later`: whether the table might be added to the publication later. */
  | { readonly ok: false; readonly message: string; readonly later: boolean };

export interface Registry {
  /** Validates all requests against all matching tables and registers the subscriber if all succeed. */
  admit(subscriber: Subscriber): Promise<Admission>;
  remove(subscriber: Subscriber): void;
  readonly size: number;
  /** Returns the cached audience, or undefined if the database must be queried. */
  knownAudience(relation: Relation): Audience | undefined;
  /** Returns undefined if no subscriber can be interested. */
  audienceOf(relation: Relation): Promise<Audience | undefined>;
  /** Whether any request matches the table. Inexpensive. */
  isWanted(relation: Relation): boolean;
  forgetTable(oid: number): void;
  forgetAudiences(): void;
}

/** The result of validating a request for a role against a table: its conditions, or PostgreSQL's error. */
type Checked = { readonly conditions: readonly ValidCondition[] } | { readonly error: PostgresErrorShape };

export function createRegistry(catalog: Catalog, pool: () => Pool): Registry {
  const subscribers = new Set<Subscriber>();
  const audiences = new Map<number, Audience>();
  const checks = new Map<number, Map<string, Checked>>();
  /** Incremented whenever a table is described, so that operations based on an older description restart. */
  const generations = new Map<number, number>();
  let wanted = new WeakMap<Relation, boolean>();

  const keyOf = (role: string, request: ChangeRequest): string =>
    JSON.stringify([role, request.conditions, request.select]);
  const known = (oid: number, role: string, request: ChangeRequest): Checked | undefined =>
    checks.get(oid)?.get(keyOf(role, request));

  const check = async (oid: number, role: string, request: ChangeRequest): Promise<Checked> => {
    const before = known(oid, role, request);
    if (before !== undefined) return before;
    const generation = generations.get(oid);
    const checked = await checkSubscription(pool(), oid, role, request).then(
      (conditions): Checked => ({ conditions }),
      (error: PostgresErrorShape): Checked => {
        // Only errors about the request itself are cached.
        if (!isServerResponse(error)) throw error;
        return { error };
      },
    );
    if (generations.get(oid) === generation) {
      let ofTable = checks.get(oid);
      if (ofTable === undefined) {
        ofTable = new Map();
        checks.set(oid, ofTable);
      }
      // Limits the cache because clients can send arbitrarily many distinct requests.
      if (ofTable.size >= 10_000) ofTable.clear();
      ofTable.set(keyOf(role, request), checked);
    }
    return checked;
  };

  const means = (request: ChangeRequest, table: { schema: string; name: string }): boolean =>
    matchesName(request.schema, table.schema) && matchesName(request.table, table.name);

  /** Adds a subscriber to an audience. Returns false if a request hasn't been validated yet. */
  const enterAudience = (audience: Audience, subscriber: Subscriber): boolean => {
    const entries: [number, readonly ValidCondition[]][] = [];
    for (const [order, { request }] of subscriber.requests.entries()) {
      if (!means(request, audience.table)) continue;
      const checked = known(audience.table.oid, subscriber.claimSet.role, request);
      if (checked === undefined) return false;
      if ('conditions' in checked) entries.push([order, checked.conditions]);
    }
    for (const [order, conditions] of entries) enter(audience, subscriber, order, conditions);
    return true;
  };

  const forgetAudience = (oid: number): void => {
    const audience = audiences.get(oid);
    for (const { members } of audience?.groups.values() ?? []) {
      for (const targets of members.values()) {
        for (const { subscriber } of targets) withdraw(subscriber, audience as Audience);
      }
    }
    audiences.delete(oid);
    generations.set(oid, (generations.get(oid) ?? 0) + 1);
  };

  const build = async (relation: Relation): Promise<Audience | undefined> => {
    const { oid } = relation;
    for (;;) {
      const generation = generations.get(oid);
      const [table, published] = await Promise.all([catalog.table(oid), catalog.published()]);
      if (table === undefined || !published.some((entry) => entry.oid === oid)) return undefined;
      for (const subscriber of subscribers) {
        for (const { request } of subscriber.requests) {
          if (means(request, table)) await check(oid, subscriber.claimSet.role, request);
        }
      }
      if (generations.get(oid) !== generation) continue;
      const audience = createAudience(table);
      // A subscriber may have been added during validation, so the loop runs again.
      if (![...subscribers].every((subscriber) => enterAudience(audience, subscriber))) {
        for (const subscriber of subscribers) withdraw(subscriber, audience);
        continue;
      }
      audiences.set(oid, audience);
      return audience;
    }
  };

  return {
    async admit(subscriber) {
      const published = await catalog.published();
      const tablesOf = (request: ChangeRequest): PublishedTable[] =>
        published.filter((table) => means(request, table));
      for (const { request } of subscriber.requests) {
        const tables = tablesOf(request);
        const described = describeRequest(request);
        if (tables.length === 0) {
          return {
            ok: false,
            later: true,
            message: `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [${described}]`,
          };
        }
        for (const { oid } of tables) {
          const checked = await check(oid, subscriber.claimSet.role, request);
          if ('error' in checked) {
            return {
              ok: false,
              later: false,
              message: `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [${described}]. Exception: ${exceptionText(checked.error)}`,
            };
          }
        }
      }
      leaveAll(subscriber);
      subscriber.active = true;
      subscribers.add(subscriber);
      wanted = new WeakMap();
      for (const [oid, audience] of audiences) if (!enterAudience(audience, subscriber)) forgetAudience(oid);
      return { ok: true };
    },
    remove(subscriber) {
      if (!subscribers.delete(subscriber)) return;
      wanted = new WeakMap();
      leaveAll(subscriber);
    },
    get size() {
      return subscribers.size;
    },
    knownAudience: ({ oid }) => audiences.get(oid),
    async audienceOf(relation) {
      return audiences.get(relation.oid) ?? (await build(relation));
    },
    isWanted(relation) {
      let answer = wanted.get(relation);
      if (answer === undefined) {
        const table = { schema: relation.schema, name: relation.table };
        answer = false;
        for (const { requests } of subscribers) {
          if (requests.some(({ request }) => means(request, table))) {
            answer = true;
            break;
          }
        }
        wanted.set(relation, answer);
      }
      return answer;
    },
    forgetTable(oid) {
      catalog.forget(oid);
      checks.delete(oid);
      forgetAudience(oid);
    },
    forgetAudiences() {
      for (const oid of [...audiences.keys()]) forgetAudience(oid);
    },
  };
}

/** Removes a subscriber's positions in a discarded audience. */
function withdraw(subscriber: Subscriber, audience: Audience): void {
  for (let index = subscriber.positions.length - 1; index >= 0; index--) {
    if (subscriber.positions[index]?.audience === audience) subscriber.positions.splice(index, 1);
  }
}

/** Names of the error conditions that clients can encounter (PostgreSQL manual, appendix A). */
const conditionNames: Record<string, string> = {
  P0001: 'raise_exception',
  '22P02': 'invalid_text_representation',
  '22003': 'numeric_value_out_of_range',
  '22007': 'invalid_datetime_format',
  '22008': 'datetime_field_overflow',
  '22023': 'invalid_parameter_value',
  '42704': 'undefined_object',
  '42883': 'undefined_function',
  '42846': 'cannot_coerce',
  '42501': 'insufficient_privilege',
};

/** Formats an error like upstream's driver. */
function exceptionText({ code, message }: PostgresErrorShape): string {
  return `ERROR ${code} (${conditionNames[code] ?? 'error'}) ${message}`;
}
