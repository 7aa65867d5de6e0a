/**
 * Writes values that many requests of a shape have into the text of the shape's statement. These values are ranges
 * (limits and offsets), and values of columns that have only a few values, such as flags and states. If such a value is a
 * parameter, PostgreSQL plans the statement again for each request, which takes as long as a short list itself
 * (docs/decisions/0100-specialized-statements.md).
 */
import type { Bindings, IsConstant } from './compile/params.ts';
import type { Statement } from './compile/statement.ts';

export interface Specialization {
  /** Returns the statement with the constants' values from the request. */
  readonly compile: (bindings: Bindings, isConstant: IsConstant) => Statement;
  /** The range keys that the shape's requests set. */
  readonly rangeKeys: readonly string[];
  /**
   * Resolves to the slots that are constants, or to undefined if PostgreSQL must plan with the values of each request.
   */
  readonly constantSlots: () => Promise<ReadonlySet<number> | undefined>;
}

/** The number of statements per shape. Each takes up a place among the prepared statements of a connection. */
const MAX_STATEMENTS = 8;
/** The number of keys per shape that are remembered after they arrived once. */
const MAX_SEEN = 32;
/** The maximum length of the constants' values. Longer values are usually not repeated. */
const MAX_KEY_LENGTH = 200;
/** The time after which the statistics are read again, because ANALYZE may have changed them. */
const CHECK_AGAIN_MS = 60_000;

interface Choice {
  /** The statement for this request. Undefined if it is the statement whose values are all parameters. */
  readonly statement: Statement | undefined;
  /** Whether an identical request gets the same statement, as long as {@link SpecializedStatements.version} is the same. */
  readonly isFinal: boolean;
}

const PARAMETERS: Choice = { statement: undefined, isFinal: true };
const NOT_YET: Choice = { statement: undefined, isFinal: false };

export class SpecializedStatements {
  readonly #specialization: Specialization;
  readonly #statements = new Map<string, Statement>();
  readonly #seen = new Set<string>();
  /** Undefined before the first answer, and null if all values are parameters. */
  #slots: ReadonlySet<number> | null | undefined;
  #isAsking = false;
  #askAgainAt = Number.NEGATIVE_INFINITY;
  #version = 0;

  constructor(specialization: Specialization) {
    this.#specialization = specialization;
  }

  /** The number of times that the statistics have changed the decision. */
  get version(): number {
    this.#ask();
    return this.#version;
  }

  choose(bindings: Bindings): Choice {
    this.#ask();
    const slots = this.#slots;
    if (slots === undefined) return NOT_YET;
    if (slots === null || (slots.size === 0 && this.#specialization.rangeKeys.length === 0))
      return PARAMETERS;
    const key = this.#keyOf(bindings, slots);
    const known = this.#statements.get(key);
    if (known !== undefined) return { statement: known, isFinal: true };
    if (this.#statements.size >= MAX_STATEMENTS || key.length > MAX_KEY_LENGTH) return PARAMETERS;
    if (!this.#seen.delete(key)) {
      if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
      this.#seen.add(key);
      return NOT_YET;
    }
    const statement = this.#specialization.compile(
      bindings,
      (param) =>
        param.kind === 'limit' || param.kind === 'offset' || (param.kind === 'slot' && slots.has(param.slot)),
    );
    this.#statements.set(key, statement);
    return { statement, isFinal: true };
  }

  /** The key is unambiguous because a value can't contain NUL. */
  #keyOf({ ranges, values }: Bindings, slots: ReadonlySet<number>): string {
    let key = '';
    for (const name of this.#specialization.rangeKeys) {
      const range = ranges.get(name);
      key += `${range?.lower ?? 0}-${range?.upper ?? ''}\0`;
    }
    for (const slot of slots) key += `${values[slot]}\0`;
    return key;
  }

  #ask(): void {
    if (this.#isAsking || performance.now() < this.#askAgainAt) return;
    this.#isAsking = true;
    this.#specialization
      .constantSlots()
      // Without statistics, the values remain parameters, which is always correct.
      .catch(() => undefined)
      .then((slots: ReadonlySet<number> | null = null) => {
        if (!isSame(slots, this.#slots)) {
          this.#version++;
          this.#slots = slots;
          this.#statements.clear();
          this.#seen.clear();
        }
        this.#isAsking = false;
        this.#askAgainAt = performance.now() + CHECK_AGAIN_MS;
      });
  }
}

function isSame(slots: ReadonlySet<number> | null, others: ReadonlySet<number> | null | undefined): boolean {
  if (slots === null || others === null || others === undefined) return slots === others;
  return slots.size === others.size && slots.isSubsetOf(others);
}
