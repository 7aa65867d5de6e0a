/**
 * Stores subscribers and table audiences. A table's audience is created at the table's first change. The audience is
 * discarded when PostgreSQL sends a new description of the table or when the publication changes.
 */
import type { Pool, PostgresErrorShape } from '../../../platform/database/types.ts';
import { type ChangeRequest, describeRequest, matchesName } from '../core/filter.ts';
import type { ValidCondition } from '../core/filter-match.ts';
import type { Relation } from '../core/pgoutput.ts';
import { type Audience, addRequest, createAudience, removeSubscriber, type Subscriber } from './audience.ts';
import type { Catalog } from './catalog.ts';
import { type Checked, SubscriptionChecks } from './subscription-checks.ts';

/** Whether the subscription was accepted, or the error message for the client. */
export type Admission =
  | { readonly ok: true }
  /** `later` is true if the table might be added to the publication later. */
  | { readonly ok: false; readonly message: string; readonly later: boolean };

export interface Registry {
  /** Validates all requests against all matching tables, and registers the subscriber if every request is valid. */
  admit(subscriber: Subscriber): Promise<Admission>;
  remove(subscriber: Subscriber): void;
  readonly size: number;
  /** Returns the cached audience, or undefined if the database must be queried. */
  knownAudience(relation: Relation): Audience | undefined;
  /** Returns the table's audience, or undefined if the table was dropped or isn't published. */
  audienceOf(relation: Relation): Promise<Audience | undefined>;
  /** Whether any request matches this table. This check doesn't query the database. */
  isWanted(relation: Relation): boolean;
  forgetTable(oid: number): void;
  forgetAudiences(): void;
  /** Stops delivery to all subscribers immediately. */
  mute(): void;
  /** Returns a function that creates a table's audience with only these subscribers. */
  audiencesOf(subscribers: readonly Subscriber[]): (oid: number) => Promise<Audience | undefined>;
  /** Whether a request of these subscribers matches a table. */
  wantedBy(subscribers: readonly Subscriber[]): (relation: Relation) => boolean;
}

export const createRegistry = (catalog: Catalog, pool: () => Pool): Registry =>
  new SubscriberRegistry(catalog, pool);

class SubscriberRegistry implements Registry {
  readonly #catalog: Catalog;
  readonly #checks: SubscriptionChecks;
  readonly #subscribers = new Set<Subscriber>();
  readonly #audiences = new Map<number, Audience>();
  #wanted = new WeakMap<Relation, boolean>();

  constructor(catalog: Catalog, pool: () => Pool) {
    this.#catalog = catalog;
    this.#checks = new SubscriptionChecks(pool);
  }

  get size(): number {
    return this.#subscribers.size;
  }

  async admit(subscriber: Subscriber): Promise<Admission> {
    const rejection = await this.#refusalOf(subscriber);
    if (rejection !== undefined) return rejection;
    removeSubscriber(subscriber);
    subscriber.active = true;
    this.#subscribers.add(subscriber);
    this.#wanted = new WeakMap();
    for (const [oid, audience] of this.#audiences)
      if (!this.#enterAudience(audience, subscriber)) this.#forgetAudience(oid);
    return { ok: true };
  }

  remove(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    this.#wanted = new WeakMap();
    removeSubscriber(subscriber);
  }

  knownAudience({ oid }: Relation): Audience | undefined {
    return this.#audiences.get(oid);
  }

  async audienceOf(relation: Relation): Promise<Audience | undefined> {
    return this.#audiences.get(relation.oid) ?? (await this.#build(relation));
  }

  isWanted(relation: Relation): boolean {
    const known = this.#wanted.get(relation);
    if (known !== undefined) return known;
    const table = { schema: relation.schema, name: relation.table };
    const isWanted = [...this.#subscribers].some(({ requests }) =>
      requests.some(({ request }) => matches(request, table)),
    );
    this.#wanted.set(relation, isWanted);
    return isWanted;
  }

  forgetTable(oid: number): void {
    this.#catalog.forget(oid);
    this.#checks.forget(oid);
    this.#forgetAudience(oid);
  }

  forgetAudiences(): void {
    for (const oid of [...this.#audiences.keys()]) this.#forgetAudience(oid);
  }

  mute(): void {
    for (const subscriber of this.#subscribers) subscriber.active = false;
  }

  wantedBy(subscribers: readonly Subscriber[]): (relation: Relation) => boolean {
    return ({ schema, table }) =>
      subscribers.some(({ requests }) =>
        requests.some(({ request }) => matches(request, { schema, name: table })),
      );
  }

  audiencesOf(subscribers: readonly Subscriber[]): (oid: number) => Promise<Audience | undefined> {
    const audiences = new Map<number, Promise<Audience | undefined>>();
    const build = async (oid: number): Promise<Audience | undefined> => {
      const [table, published] = await Promise.all([this.#catalog.table(oid), this.#catalog.published()]);
      if (table === undefined || !published.some((entry) => entry.oid === oid)) return undefined;
      const audience = createAudience(table);
      for (const subscriber of subscribers) {
        for (const [order, { request }] of subscriber.requests.entries()) {
          if (!matches(request, table)) continue;
          const checked = await this.#checks.check(oid, subscriber.claimSet.role, request);
          if ('conditions' in checked) addRequest(audience, subscriber, order, checked.conditions);
        }
      }
      return audience;
    };
    return (oid) => {
      const known = audiences.get(oid) ?? build(oid);
      audiences.set(oid, known);
      return known;
    };
  }

  /**
   * Validates the subscriber's requests in order. Returns the first rejection, or undefined if all of the requests are
   * valid.
   */
  async #refusalOf(subscriber: Subscriber): Promise<Admission | undefined> {
    const published = await this.#catalog.published();
    for (const { request } of subscriber.requests) {
      const tables = published.filter((table) => matches(request, table));
      const described = describeRequest(request);
      if (tables.length === 0) {
        return {
          ok: false,
          later: true,
          message: `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [${described}]`,
        };
      }
      for (const { oid, schema, name, unreadable } of tables) {
        const checked: Checked =
          unreadable === undefined
            ? await this.#checks.check(oid, subscriber.claimSet.role, request)
            : { error: { code: '0A000', message: `${schema}.${name}: ${unreadable}` } };
        if ('error' in checked) {
          return {
            ok: false,
            later: false,
            message: `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [${described}]. Exception: ${exceptionText(checked.error)}`,
          };
        }
      }
    }
    return undefined;
  }

  async #build({ oid }: Relation): Promise<Audience | undefined> {
    for (;;) {
      const generation = this.#checks.generation(oid);
      const [table, published] = await Promise.all([this.#catalog.table(oid), this.#catalog.published()]);
      if (table === undefined || !published.some((entry) => entry.oid === oid)) return undefined;
      for (const subscriber of this.#subscribers) {
        for (const { request } of subscriber.requests) {
          if (matches(request, table)) await this.#checks.check(oid, subscriber.claimSet.role, request);
        }
      }
      if (this.#checks.generation(oid) !== generation) continue;
      const audience = createAudience(table);
      // A subscriber may have been added during the validation, so the loop runs again.
      if (![...this.#subscribers].every((subscriber) => this.#enterAudience(audience, subscriber))) {
        for (const subscriber of this.#subscribers) withdraw(subscriber, audience);
        continue;
      }
      this.#audiences.set(oid, audience);
      return audience;
    }
  }

  /** Adds a subscriber to an audience. Returns false if a request hasn't been validated yet. */
  #enterAudience(audience: Audience, subscriber: Subscriber): boolean {
    const entries: [number, readonly ValidCondition[]][] = [];
    for (const [order, { request }] of subscriber.requests.entries()) {
      if (!matches(request, audience.table)) continue;
      const checked = this.#checks.known(audience.table.oid, subscriber.claimSet.role, request);
      if (checked === undefined) return false;
      if ('conditions' in checked) entries.push([order, checked.conditions]);
    }
    for (const [order, conditions] of entries) addRequest(audience, subscriber, order, conditions);
    return true;
  }

  #forgetAudience(oid: number): void {
    const audience = this.#audiences.get(oid);
    for (const { members } of audience?.groups.values() ?? []) {
      for (const targets of members.values()) {
        for (const { subscriber } of targets) withdraw(subscriber, audience as Audience);
      }
    }
    this.#audiences.delete(oid);
    this.#checks.beginGeneration(oid);
  }
}

const matches = (request: ChangeRequest, table: { schema: string; name: string }): boolean =>
  matchesName(request.schema, table.schema) && matchesName(request.table, table.name);

/** Removes a subscriber's positions in a discarded audience. */
function withdraw(subscriber: Subscriber, audience: Audience): void {
  for (let index = subscriber.positions.length - 1; index >= 0; index--) {
    if (subscriber.positions[index]?.audience === audience) subscriber.positions.splice(index, 1);
  }
}

/** The names of the error conditions that clients can encounter (PostgreSQL manual, appendix A). */
const conditionNames: Record<string, string> = {
  P0001: 'raise_exception',
  '0A000': 'feature_not_supported',
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

/** Formats an error as upstream's database driver does. */
function exceptionText({ code, message }: Pick<PostgresErrorShape, 'code' | 'message'>): string {
  return `ERROR ${code} (${conditionNames[code] ?? 'error'}) ${message}`;
}
