/**
 * Evaluates the conditions that need PostgreSQL. Clients choose the patterns of `like` and `match` conditions, and a
 * pattern can take seconds for a single value. All subscribers' changes are delivered in order, so a slow pattern is
 * only evaluated for a short time and then ignored for a while.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Operator } from '../core/filter.ts';
import type { PendingTest } from '../core/filter-match.ts';
import { checkConditions } from './checks.ts';

const patternOperators: ReadonlySet<Operator> = new Set(['like', 'ilike', 'match', 'imatch']);

/** The number of patterns per statement. Only the patterns of a statement that takes too long are evaluated separately. */
const maxPerStatement = 100;
const statementMs = 500;
const singleMs = 250;
/** The maximum time for the patterns of a batch. Patterns that aren't evaluated in time don't match. */
const batchMs = 3000;
const ignoredForMs = 60_000;
const maxIgnored = 10_000;

export class ConditionTests {
  readonly #log: Logger;
  readonly #now: () => number;
  /** The time until which each slow pattern is ignored, oldest first. */
  readonly #ignored = new Map<string, number>();

  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** Returns whether each condition is true. @throws errors of the database, except that a pattern took too long */
  async evaluate(pool: Pool, tests: readonly PendingTest[]): Promise<readonly boolean[]> {
    const results = tests.map(() => false);
    const run = async (indexes: readonly number[], timeoutMs?: number): Promise<void> => {
      const chosen = indexes.map((index) => tests[index] as PendingTest);
      const found = await checkConditions(pool, chosen, timeoutMs);
      for (const [at, index] of indexes.entries()) results[index] = found[at] === true;
    };
    const isPattern = (index: number) =>
      patternOperators.has((tests[index] as PendingTest).compiled.condition.operator);
    const exact = [...tests.keys()].filter((index) => !isPattern(index));
    if (exact.length > 0) await run(exact);
    const deadline = this.#now() + batchMs;
    const patterns = [...tests.keys()].filter(isPattern);
    for (let start = 0; start < patterns.length; start += maxPerStatement) {
      const indexes = patterns
        .slice(start, start + maxPerStatement)
        .filter((index) => !this.#isIgnored(tests[index] as PendingTest));
      if (indexes.length === 0 || (await inTime(run(indexes, statementMs)))) continue;
      for (const index of indexes) {
        const test = tests[index] as PendingTest;
        if (this.#now() > deadline) {
          this.#log.warn({}, 'skipped patterns of subscriptions because they took too long');
          return results;
        }
        if (!this.#isIgnored(test) && !(await inTime(run([index], singleMs)))) this.#ignore(test);
      }
    }
    return results;
  }

  #isIgnored(test: PendingTest): boolean {
    return (this.#ignored.get(keyOf(test)) ?? 0) > this.#now();
  }

  #ignore(test: PendingTest): void {
    const key = keyOf(test);
    this.#log.warn(
      { operator: test.compiled.condition.operator },
      'ignored the pattern of a subscription for a minute because it took too long',
    );
    this.#ignored.delete(key);
    this.#ignored.set(key, this.#now() + ignoredForMs);
    const [oldest] = this.#ignored.keys();
    if (this.#ignored.size > maxIgnored && oldest !== undefined) this.#ignored.delete(oldest);
  }
}

const keyOf = ({ compiled: { condition, sqlType } }: PendingTest): string =>
  JSON.stringify([condition.operator, sqlType, condition.value]);

/** Whether the statement finished before it was canceled. */
async function inTime(statement: Promise<void>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === '57014') return false;
    throw error;
  }
}
