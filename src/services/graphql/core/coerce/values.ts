/** Turns checked values into slots. */

import { type GivenScalar, type Place, valuesAt } from './given.ts';
import type { Input } from './input.ts';
import { arrayLiteral, constant, type Slot } from './slots.ts';

/** Converts a value of the variables to PostgreSQL's text format. */
export type Reader = (value: unknown) => string | null;

/** Returns the slot of a scalar, a list of scalars or null. */
export function slotOf(input: Input): Slot {
  switch (input.kind) {
    case 'absent':
    case 'null':
      return constant(null);
    case 'scalar':
      return scalarSlot(input.given, readerOf(input));
    case 'list': {
      if (input.place !== null) return slotAt(input.place, readerOf(input));
      const slots = input.items.map(slotOf);
      return { read: (variables) => arrayLiteral(slots.map((slot) => slot.read(variables))) };
    }
    case 'object':
      throw new Error('An object has no slot');
  }
}

/** Returns the slot of a scalar that isn't sent as it is. */
export const scalarSlot = ({ text, place }: GivenScalar, read: Reader): Slot =>
  place === null ? constant(read(text)) : slotAt(place, read);

/**
 * Returns the slot of an array with one element per value at a place, which contains {@link EACH}. The input is the part
 * of the element that stands for all.
 */
export function columnSlotOf(place: Place, input: Input): Slot {
  const read = readerOf(input);
  return { read: (variables) => arrayLiteral(valuesAt(variables, place).map(read)) };
}

const slotAt = (place: Place, read: Reader): Slot => ({
  read: (variables) => read(valuesAt(variables, place)[0]),
});

function readerOf(input: Input): Reader {
  switch (input.kind) {
    case 'absent':
    case 'null':
      return () => null;
    case 'scalar': {
      const { convert } = input;
      return convert === null ? (value) => String(value) : (value) => convert(String(value));
    }
    case 'list': {
      const { each, items } = input;
      if (each !== null) {
        const read = readerOf(each);
        return (value) => arrayLiteral((value as readonly unknown[]).map(read));
      }
      const reads = items.map(readerOf);
      return (value) => arrayLiteral(reads.map((read, index) => read((value as readonly unknown[])[index])));
    }
    case 'object':
      throw new Error('An object has no text');
  }
}
