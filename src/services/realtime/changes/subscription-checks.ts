/**
 * Caches the results of validating subscriptions against a table until PostgreSQL sends a new description of the table.
 */
import type { Pool, PostgresErrorShape } from '../../../platform/database/types.ts';
import type { ChangeRequest } from '../core/filter.ts';
import type { ValidCondition } from '../core/filter-match.ts';
import { isServerResponse } from '../errors.ts';
import { checkSubscription } from './checks.ts';

/**
 * The result of validating a role's request against a table, which is either the request's conditions or PostgreSQL's
 * error.
 */
export type Checked =
  | { readonly conditions: readonly ValidCondition[] }
  | { readonly error: Pick<PostgresErrorShape, 'code' | 'message'> };

/** The maximum number of cached results per table. Clients can send any number of distinct requests. */
const maxChecksPerTable = 10_000;

const keyOf = (role: string, request: ChangeRequest): string =>
  JSON.stringify([role, request.conditions, request.select]);

export class SubscriptionChecks {
  readonly #pool: () => Pool;
  readonly #checks = new Map<number, Map<string, Checked>>();
  readonly #generations = new Map<number, number>();

  constructor(pool: () => Pool) {
    this.#pool = pool;
  }

  known(oid: number, role: string, request: ChangeRequest): Checked | undefined {
    return this.#checks.get(oid)?.get(keyOf(role, request));
  }

  async check(oid: number, role: string, request: ChangeRequest): Promise<Checked> {
    const before = this.known(oid, role, request);
    if (before !== undefined) return before;
    const generation = this.generation(oid);
    const checked = await checkSubscription(this.#pool(), oid, role, request).then(
      (conditions): Checked => ({ conditions }),
      (error: PostgresErrorShape): Checked => {
        // An error is cached only if it is PostgreSQL's response to this request.
        if (!isServerResponse(error)) throw error;
        return { error };
      },
    );
    if (this.generation(oid) === generation) {
      let ofTable = this.#checks.get(oid);
      if (ofTable === undefined) {
        ofTable = new Map();
        this.#checks.set(oid, ofTable);
      }
      if (ofTable.size >= maxChecksPerTable) ofTable.clear();
      ofTable.set(keyOf(role, request), checked);
    }
    return checked;
  }

  /**
   * Returns a number that changes with each new description of the table, so that operations that used an older
   * description can be restarted.
   */
  generation(oid: number): number {
    return this.#generations.get(oid) ?? 0;
  }

  beginGeneration(oid: number): void {
    this.#generations.set(oid, this.generation(oid) + 1);
  }

  forget(oid: number): void {
    this.#checks.delete(oid);
  }
}
