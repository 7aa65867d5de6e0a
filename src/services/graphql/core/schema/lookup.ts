/** Looks up fields and arguments by name, and unwraps types. Lookups are indexed per type on first use. */

import type {
  Field,
  InputObjectType,
  InputValue,
  InterfaceType,
  ListType,
  NamedType,
  NonNullType,
  ObjectType,
  Schema,
  Type,
} from './types.ts';

/** A list of values of this type. Equal types are one object, so that introspection writes them once. */
export const list = (of: Type): ListType => shared(lists, of, () => ({ kind: 'LIST', of }));

/** This type without null. Equal types are one object. */
export const nonNull = (of: Type): Type =>
  of.kind === 'NON_NULL' ? of : shared(nonNulls, of, () => ({ kind: 'NON_NULL', of }));

const lists = new WeakMap<Type, ListType>();
const nonNulls = new WeakMap<Type, NonNullType>();

const shared = <Wrapper>(
  known: WeakMap<Type, Wrapper & object>,
  of: Type,
  make: () => Wrapper & object,
): Wrapper => {
  let wrapper = known.get(of);
  if (!wrapper) {
    wrapper = make();
    known.set(of, wrapper);
  }
  return wrapper;
};

/** The type without its outer NonNull. */
export const nullable = (type: Type): Exclude<Type, { kind: 'NON_NULL' }> =>
  type.kind === 'NON_NULL' ? nullable(type.of) : type;

/** The named type inside all lists and NonNulls. */
export const namedType = (type: Type): NamedType =>
  type.kind === 'LIST' || type.kind === 'NON_NULL' ? namedType(type.of) : type;

const fieldIndexes = new WeakMap<ObjectType | InterfaceType, ReadonlyMap<string, Field>>();
const inputIndexes = new WeakMap<InputObjectType, ReadonlyMap<string, InputValue>>();

/**
 * Returns the field with this name, `__typename` included. Of fields with equal names the last counts, as upstream's.
 *
 * @example fieldOf(schema.query, 'accountCollection')?.source // { is: 'collection', table }
 */
export const fieldOf = (type: ObjectType | InterfaceType, name: string): Field | undefined => {
  if (name === '__typename') return typenameField;
  let index = fieldIndexes.get(type);
  if (!index) {
    index = new Map(type.fields.map((field) => [field.name, field]));
    fieldIndexes.set(type, index);
  }
  return index.get(name);
};

/** Returns the input field with this name. Of fields with equal names the last counts. */
export const inputFieldOf = (type: InputObjectType, name: string): InputValue | undefined => {
  let index = inputIndexes.get(type);
  if (!index) {
    index = new Map(type.inputFields.map((field) => [field.name, field]));
    inputIndexes.set(type, index);
  }
  return index.get(name);
};

/** Returns the argument with this name. */
export const argumentOf = (field: Field, name: string): InputValue | undefined =>
  field.args.find((argument) => argument.name === name);

/** The object types that a value of this type can have at run time. */
export const possibleTypes = (schema: Schema, type: ObjectType | InterfaceType): readonly ObjectType[] =>
  type.kind === 'OBJECT' ? [type] : schema.nodeTypes;

const typenameField: Field = {
  name: '__typename',
  description: null,
  type: { kind: 'SCALAR', name: 'String', description: 'A string', maxLength: null },
  args: [],
  source: { is: '__typename' },
};
