/** Checks values against the types of arguments. The messages of the errors are upstream's. */

import { GraphqlError } from '../error.ts';
import type { Argument } from '../request/ast.ts';
import { argumentOf, inputFieldOf } from '../schema/lookup.ts';
import type {
  EnumType,
  Field,
  InputObjectType,
  ListType,
  ScalarName,
  ScalarType,
  Type,
} from '../schema/types.ts';
import {
  ABSENT,
  fromLiteral,
  type Given,
  type GivenContext,
  type GivenList,
  type GivenScalar,
  NULL,
  type Place,
} from './given.ts';
import type { Pins } from './slots.ts';

/** A checked value. */
export type Input =
  | { readonly kind: 'absent' }
  | { readonly kind: 'null' }
  | InputScalar
  | InputList
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, Input> };

export interface InputScalar {
  readonly kind: 'scalar';
  readonly given: GivenScalar;
  /** Converts the text that the request contains to the text for the database. Null if they're equal. */
  readonly convert: ((text: string) => string) | null;
}

export interface InputList {
  readonly kind: 'list';
  readonly place: Place | null;
  /** Stands for all elements of a variable's list. */
  readonly each: Input | null;
  /** The elements, if `each` is null. */
  readonly items: readonly Input[];
}

export interface InputContext extends GivenContext {
  readonly pins: Pins;
}

/**
 * Returns the value of an argument. An argument that the field's definition lacks is an error in our code.
 *
 * @throws a GraphqlError if the value doesn't have the argument's type.
 */
export function readArgument(
  field: Field,
  name: string,
  given: readonly Argument[],
  context: InputContext,
): Input {
  const definition = argumentOf(field, name);
  if (definition === undefined) throw new Error(`The field ${field.name} has no argument ${name}`);
  const argument = given.find((one) => one.name === name);
  const value = argument === undefined ? ABSENT : fromLiteral(argument.value, context);
  return check(definition.type, value, context);
}

export function check(type: Type, value: Given, context: InputContext): Input {
  switch (type.kind) {
    case 'SCALAR':
      return checkScalar(type, value, context);
    case 'ENUM':
      return checkEnum(type, value, context);
    case 'LIST':
      return checkList(type, value, context);
    case 'NON_NULL': {
      const checked = check(type.of, value, context);
      if (checked.kind === 'absent' || checked.kind === 'null') {
        throw new GraphqlError('Invalid input for NonNull type');
      }
      return checked;
    }
    case 'INPUT_OBJECT':
      return checkObject(type, value, context);
    default:
      throw new GraphqlError(`Invalid Type used as input argument ${type.name}`);
  }
}

const STRING = ['string'] as const;

/** The kinds of values that a scalar accepts, apart from null. Opaque accepts all. */
const ACCEPTED: Readonly<Record<Exclude<ScalarName, 'Opaque'>, readonly GivenScalar['kind'][]>> = {
  ID: STRING,
  Int: ['int'],
  Float: ['int', 'float'],
  String: STRING,
  Boolean: ['boolean'],
  Date: STRING,
  Time: STRING,
  Datetime: STRING,
  BigInt: ['string', 'int', 'float'],
  UUID: STRING,
  JSON: STRING,
  Cursor: STRING,
  BigFloat: STRING,
};

function checkScalar(type: ScalarType, value: Given, context: InputContext): Input {
  if (type.name === 'Opaque') return unchecked(value);
  if (value.kind === 'absent' || value.kind === 'null') return value;
  if (!isOneOf(value, ACCEPTED[type.name])) {
    const hint = type.name === 'BigFloat' ? '. String required' : '';
    throw new GraphqlError(`Invalid input for ${describe(type)} type${hint}`);
  }
  const { maxLength } = type;
  if (maxLength !== null) {
    const lengths = examineText(value, context, (text) => (lengthOf(text) > maxLength ? 'long' : 'short'));
    if (lengths.includes('long')) {
      throw new GraphqlError(`Invalid input for String type. Maximum character length ${maxLength}`);
    }
  }
  return { kind: 'scalar', given: value, convert: null };
}

const isOneOf = (value: Given, kinds: readonly GivenScalar['kind'][]): value is GivenScalar =>
  kinds.some((kind) => kind === value.kind);

/** Counts characters as PostgreSQL does: code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The name of a scalar in upstream's messages. */
const describe = ({ name, maxLength }: ScalarType): string => {
  if (name !== 'String') return name;
  return maxLength === null ? 'String(None)' : `String(Some(${maxLength}))`;
};

/** Returns a value of a type about which nothing is known. PostgreSQL checks it. */
function unchecked(value: Given): Input {
  if (value.kind === 'absent' || value.kind === 'null') return value;
  if (value.kind === 'object') throw new GraphqlError('Unexpected object in input value');
  if (value.kind !== 'list') return { kind: 'scalar', given: value, convert: null };
  const element = (item: Given): Input => {
    if (item.kind === 'list') throw new GraphqlError('Unexpected array in input value array');
    if (item.kind === 'object') throw new GraphqlError('Unexpected object in input value array');
    return unchecked(item);
  };
  if (value.each !== null) return { kind: 'list', place: value.place, each: element(value.each), items: [] };
  return { kind: 'list', place: value.place, each: null, items: value.items().map(element) };
}

function checkEnum(type: EnumType, value: Given, context: InputContext): Input {
  if (value.kind === 'absent' || value.kind === 'null') return value;
  if (value.kind !== 'string') throw new GraphqlError(`Invalid input for ${type.name} type`);
  const labels = labelsOf(type);
  if (type.role.is === 'sql') {
    const found = examineText(value, context, (text) => String(labels.has(text)));
    if (found.includes('false')) throw new GraphqlError(`Invalid input for ${type.name} type`);
    return { kind: 'scalar', given: value, convert: (text) => labels.get(text) ?? text };
  }
  const [text = ''] = examineText(value, context, (one) => one);
  if (!labels.has(text)) throw new GraphqlError(`Invalid input for ${type.name} type`);
  return { kind: 'scalar', given: value, convert: null };
}

const enumLabels = new WeakMap<EnumType, ReadonlyMap<string, string>>();

function labelsOf(type: EnumType): ReadonlyMap<string, string> {
  let labels = enumLabels.get(type);
  if (labels === undefined) {
    labels = new Map(type.values.map(({ name, label }) => [name, label]));
    enumLabels.set(type, labels);
  }
  return labels;
}

function checkList(type: ListType, value: Given, context: InputContext): Input {
  if (value.kind === 'absent' || value.kind === 'null') return value;
  // A single value is a list of one.
  if (value.kind !== 'list') {
    return { kind: 'list', place: null, each: null, items: [check(type.of, value, context)] };
  }
  if (value.each !== null && !isEmptyObject(value.each) && !dependsOnElements(type.of)) {
    return { kind: 'list', place: value.place, each: check(type.of, value.each, context), items: [] };
  }
  const items = elementsOf(value, context).map((item) => check(type.of, item, context));
  return { kind: 'list', place: value.place, each: null, items };
}

/** Rows without values are written one by one. */
const isEmptyObject = (value: Given): boolean => value.kind === 'object' && value.entries.size === 0;

/** Whether the statement depends on the number of the list's elements. */
const dependsOnElements = (type: Type): boolean => {
  if (type.kind === 'NON_NULL') return dependsOnElements(type.of);
  return type.kind === 'INPUT_OBJECT' && type.role.is !== 'insertInput';
};

function elementsOf({ place, items }: GivenList, { pins }: InputContext): readonly Given[] {
  if (place !== null) pins.examine(place, (list) => String((list as readonly unknown[]).length));
  return items();
}

function checkObject(type: InputObjectType, value: Given, context: InputContext): Input {
  if (value.kind === 'absent' || value.kind === 'null') return value;
  if (value.kind !== 'object') throw new GraphqlError(`Invalid input for ${type.name} type`);
  const extra = [...value.entries.keys()].filter((name) => inputFieldOf(type, name) === undefined);
  if (extra.length > 0) {
    throw new GraphqlError(`Input for type ${type.name} contains extra keys ${listOfNames(extra)}`);
  }
  const entries = new Map<string, Input>();
  for (const [name, one] of value.entries) {
    const definition = inputFieldOf(type, name);
    if (definition !== undefined) entries.set(name, check(definition.type, one, context));
  }
  for (const { name, type: fieldType } of type.inputFields) {
    if (!value.entries.has(name)) check(fieldType, NULL, context);
  }
  return { kind: 'object', entries };
}

/** Writes names as upstream's messages do, which is the debug format of Rust. */
export const listOfNames = (names: readonly string[]): string =>
  `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;

/** Looks at the text of a scalar. The plan then depends on what was found, unless the text is in the document. */
export function examineText(
  { text, place }: GivenScalar,
  { pins }: InputContext,
  look: (text: string) => string,
): readonly string[] {
  return place === null ? [look(text)] : pins.examine(place, (value) => look(String(value)));
}
