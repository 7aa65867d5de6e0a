/** Defines slots, which are the parameters of a prepared statement, and pins, which a plan depends on. */

import { type Place, type Variables, valuesAt } from './given.ts';

/** A parameter of a statement. Its value depends on the variables of the request that the statement runs for. */
export interface Slot {
  readonly read: (variables: Variables) => string | null;
}

export const constant = (text: string | null): Slot => ({ read: () => text });

/**
 * Something about the variables that a plan depends on, apart from their shape. The plan is valid for other variables
 * only if all its pins have the same value.
 */
export interface Pin {
  readonly read: (variables: Variables) => string;
  readonly value: string;
}

/** Collects the pins of a plan. */
export class Pins {
  readonly all: Pin[] = [];
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /**
   * Looks at the values at a place. Returns the distinct results, which the plan then depends on.
   *
   * @example pins.examine(place, (value) => (String(value).length > 255 ? 'long' : 'short'))
   */
  examine(place: Place, look: (value: unknown) => string): readonly string[] {
    const results = (variables: Variables) => [...new Set(valuesAt(variables, place).map(look))];
    const read = (variables: Variables) => JSON.stringify(results(variables));
    const found = results(this.#variables);
    this.all.push({ read, value: JSON.stringify(found) });
    return found;
  }
}

/** Writes an array in PostgreSQL's text format. */
export function arrayLiteral(items: readonly (string | null)[]): string {
  const quoted = items.map((item) =>
    item === null ? 'NULL' : `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  );
  return `{${quoted.join(',')}}`;
}
