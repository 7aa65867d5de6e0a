/** Prints the call of a routine with values as parameters (`$1`). */
import type { RoutineParameter, TryArgument } from './contract.ts';

export interface CallTarget {
  readonly kind: 'function' | 'procedure' | 'aggregate' | 'window function';
  /** The name with its schema, quoted. */
  readonly target: string;
  readonly parameters: readonly RoutineParameter[];
}

/** Thrown if the arguments don't fit the parameters. `message` is for the operator. */
export class CallFault extends Error {}

/**
 * Returns the statement and the values of its parameters, in order. Types are printed by PostgreSQL and therefore
 * quoted. After a parameter that has its default, arguments are passed by name.
 *
 * @example
 * callText({ kind: 'function', target: '"public"."add"', parameters: [a, b] }, [one, two], quote);
 * // { text: 'select * from "public"."add"($1::integer, $2::integer)', values: ['1', '2'] }
 * @throws {CallFault}
 */
export function callText(
  { kind, target, parameters }: CallTarget,
  given: readonly TryArgument[],
  quote: (name: string) => string,
): { readonly text: string; readonly values: readonly (string | null)[] } {
  if (kind === 'aggregate' || kind === 'window function')
    throw new CallFault('Aggregates and window functions need rows. Call them on the SQL page.');
  const values: (string | null)[] = [];
  const parts: string[] = [];
  let isNamed = false;
  const inputs = parameters.filter(({ output }) => !output);
  if (given.length !== inputs.length) throw new CallFault('Enter a value for each parameter.');
  let next = 0;
  for (const { name, type, variadic, output, pseudo, default: fallback } of parameters) {
    if (output) {
      parts.push(isNamed && name !== null ? `${quote(name)} => null` : 'null');
      continue;
    }
    const argument = given[next++];
    if (argument === undefined || argument.kind === 'default') {
      if (fallback === null && !variadic)
        throw new CallFault(`The parameter ${name ?? next} has no default.`);
      isNamed = true;
      continue;
    }
    if (pseudo)
      throw new CallFault(`The type ${type} accepts no value here. Call the function on the SQL page.`);
    const value = `$${values.push(argument.value)}::${type}`;
    if (isNamed && name === null)
      throw new CallFault(`Parameter ${next} has no name, so the parameters before it need a value.`);
    parts.push(
      `${variadic ? 'variadic ' : ''}${isNamed && name !== null ? `${quote(name)} => ` : ''}${value}`,
    );
  }
  const call = `${target}(${parts.join(', ')})`;
  return { text: kind === 'procedure' ? `call ${call}` : `select * from ${call}`, values };
}
