/** The parts of statements that several kinds of changes use. */
import { quoteIdentifier as id } from '../../../../base/kernel/sql.ts';
import type { TypeRef } from '../changes.ts';
import { expressionFault } from './expression.ts';
import { typeNames } from './type-names.ts';

/** Thrown if a change can't be expressed in SQL. `message` describes the invalid part of the change. */
export class ChangeFault extends Error {}

export function typeName({ schema, name, modifiers = [], array = false }: TypeRef): string {
  if (schema === undefined && !typeNames.has(name)) throw new ChangeFault(`the type ${name} doesn't exist`);
  const base = schema === undefined ? name : qualified(schema, name);
  const brackets = array ? '[]' : '';
  return `${base}${modifiers.length === 0 ? '' : `(${modifiers.join(', ')})`}${brackets}`;
}

/** Returns an expression in parentheses. `what` describes it in an error. @throws {ChangeFault} */
export function expression(text: string, what: string): string {
  const fault = expressionFault(text);
  if (fault !== undefined) throw new ChangeFault(`the ${what} ${fault}: ${text}`);
  return `(${text.trim()})`;
}

export const qualified = (schema: string, name: string): string => `${id(schema)}.${id(name)}`;
