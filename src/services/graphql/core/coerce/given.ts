/**
 * Defines the values of arguments as a request gives them, before they're checked against a type.
 *
 * A value from a variable keeps its place, so that a plan can be used again with other variables of the same shape: the
 * plan then reads the value at the place.
 */

import { GraphqlError } from '../error.ts';
import type { Literal, VariableDefinition } from '../request/ast.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** A step of a place that stands for each element of a list. */
export const EACH = Symbol('each');

/** Where a value is in the variables: the variable's name, then keys and indexes. */
export type Place = readonly (string | number | typeof EACH)[];

/** Absent values leave out an argument or a field. They come from variables without a value. */
export type Given =
  | { readonly kind: 'absent' }
  | { readonly kind: 'null' }
  | GivenScalar
  | GivenList
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, Given> };

export interface GivenScalar {
  readonly kind: 'int' | 'float' | 'string' | 'boolean';
  readonly text: string;
  /** The place in the variables. Null for a value in the document. */
  readonly place: Place | null;
}

export interface GivenList {
  readonly kind: 'list';
  readonly place: Place | null;
  readonly items: () => readonly Given[];
  /**
   * The first element, in place of all elements of a variable's list if they have the same shape. Its place contains
   * {@link EACH}.
   */
  readonly each: Given | null;
  readonly length: number;
}

export const ABSENT: Given = { kind: 'absent' };
export const NULL: Given = { kind: 'null' };

export interface GivenContext {
  readonly variables: Variables;
  readonly definitions: readonly VariableDefinition[];
}

/**
 * Returns the value of a literal. Variables without a value have their default.
 *
 * @throws a GraphqlError for an integer beyond 64 bits.
 */
export function fromLiteral(literal: Literal, context: GivenContext): Given {
  switch (literal.kind) {
    case 'null':
      return NULL;
    case 'boolean':
      return { kind: 'boolean', text: String(literal.value), place: null };
    case 'int':
      if (!fitsInt64(BigInt(literal.text))) throw new GraphqlError('Invalid Int input');
      return { kind: 'int', text: literal.text, place: null };
    case 'float':
      return { kind: 'float', text: literal.text, place: null };
    case 'string':
    case 'enum':
      return { kind: 'string', text: literal.text, place: null };
    case 'list': {
      const items = literal.items.map((item) => fromLiteral(item, context));
      return { kind: 'list', place: null, items: () => items, each: null, length: items.length };
    }
    case 'object':
      return {
        kind: 'object',
        entries: new Map(literal.entries.map(([name, value]) => [name, fromLiteral(value, context)])),
      };
    case 'variable':
      return fromVariable(literal.name, context);
  }
}

function fromVariable(name: string, context: GivenContext): Given {
  if (Object.hasOwn(context.variables, name)) return fromJson(context.variables[name], [name]);
  const definition = context.definitions.find((one) => one.name === name);
  // A default can't refer to variables, so this ends.
  return definition?.default ? fromLiteral(definition.default, { variables: {}, definitions: [] }) : ABSENT;
}

/** Returns a value of the variables. Undefined is absent. */
function fromJson(value: unknown, place: Place): Given {
  if (value === null) return NULL;
  switch (typeof value) {
    case 'undefined':
      return ABSENT;
    case 'boolean':
      return { kind: 'boolean', text: String(value), place };
    case 'string':
      return { kind: 'string', text: value, place };
    case 'number':
    case 'bigint':
      return { kind: isInt(value) ? 'int' : 'float', text: String(value), place };
  }
  if (!Array.isArray(value)) {
    const entries = Object.entries(value as object);
    return {
      kind: 'object',
      entries: new Map(entries.map(([key, one]) => [key, fromJson(one, [...place, key])])),
    };
  }
  const list = value as readonly unknown[];
  return {
    kind: 'list',
    place,
    items: () => list.map((item, index) => fromJson(item, [...place, index])),
    each: isUniform(list) ? fromJson(list[0], [...place, EACH]) : null,
    length: list.length,
  };
}

const isInt = (value: number | bigint): boolean =>
  typeof value === 'bigint' ? fitsInt64(value) : Number.isSafeInteger(value);

const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/**
 * Describes a value without its texts and numbers. Plans depend on the shapes of variables only, apart from what they
 * pin. Lists whose elements have the same shape have the same shape at any length.
 */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'n';
  switch (typeof value) {
    case 'boolean':
      return value ? 't' : 'f';
    case 'string':
      return 's';
    case 'number':
    case 'bigint':
      return isInt(value) ? 'i' : 'd';
  }
  if (Array.isArray(value)) {
    const shapes = value.map(shapeOf);
    return isAllEqual(shapes) ? `[${shapes[0]}]` : `[${shapes.length}:${shapes.join()}]`;
  }
  return `{${Object.entries(value as object)
    .map(([key, one]) => `${JSON.stringify(key)}${shapeOf(one)}`)
    .join()}}`;
}

const isUniform = (list: readonly unknown[]): boolean => isAllEqual(list.map(shapeOf));

const isAllEqual = (shapes: readonly string[]): boolean =>
  shapes.length > 0 && shapes.every((shape) => shape === shapes[0]);

/** Returns the values at a place: one, or as many as {@link EACH} stands for. */
export function valuesAt(variables: Variables, place: Place): readonly unknown[] {
  let values: readonly unknown[] = [variables];
  for (const step of place) {
    values =
      step === EACH
        ? values.flat()
        : values.map((value) => (value as Readonly<Record<string | number, unknown>>)[step]);
  }
  return values;
}
