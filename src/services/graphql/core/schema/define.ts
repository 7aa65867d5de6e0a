/** Builds types and their members. Members are computed on first access. */

import type {
  EnumType,
  Field,
  InputObjectType,
  InputRole,
  InputValue,
  InterfaceType,
  ObjectRole,
  ObjectType,
  Type,
} from './types.ts';

/** What a type is given when it's defined. */
interface Head<Role> {
  readonly name: string;
  readonly description?: string | null;
  readonly role: Role;
}

/** A class rather than a literal, because a large schema has thousands, and getters of literals are slow to create. */
class LazyObject implements ObjectType {
  readonly kind = 'OBJECT';
  readonly name: string;
  readonly description: string | null;
  readonly role: ObjectRole;
  readonly interfaces: readonly InterfaceType[];
  readonly #compute: () => readonly Field[];
  #fields: readonly Field[] | undefined;

  constructor(head: Head<ObjectRole>, fields: () => readonly Field[], interfaces: readonly InterfaceType[]) {
    this.name = head.name;
    this.description = head.description ?? null;
    this.role = head.role;
    this.interfaces = interfaces;
    this.#compute = fields;
  }

  get fields(): readonly Field[] {
    this.#fields ??= this.#compute();
    return this.#fields;
  }
}

class LazyInput implements InputObjectType {
  readonly kind = 'INPUT_OBJECT';
  readonly name: string;
  readonly description: string | null;
  readonly role: InputRole;
  readonly #compute: () => readonly InputValue[];
  #inputFields: readonly InputValue[] | undefined;

  constructor(head: Head<InputRole>, inputFields: () => readonly InputValue[]) {
    this.name = head.name;
    this.description = head.description ?? null;
    this.role = head.role;
    this.#compute = inputFields;
  }

  get inputFields(): readonly InputValue[] {
    this.#inputFields ??= this.#compute();
    return this.#inputFields;
  }
}

export const objectType = (
  head: Head<ObjectRole>,
  fields: () => readonly Field[],
  interfaces: readonly InterfaceType[] = [],
): ObjectType => new LazyObject(head, fields, interfaces);

export const inputType = (head: Head<InputRole>, inputFields: () => readonly InputValue[]): InputObjectType =>
  new LazyInput(head, inputFields);

export const field = (
  name: string,
  type: Type,
  more: Partial<Pick<Field, 'description' | 'args' | 'source'>> = {},
): Field => ({ name, type, description: null, args: [], ...more });

export const inputValue = (
  name: string,
  type: Type,
  more: Partial<Pick<InputValue, 'description' | 'defaultValue' | 'source'>> = {},
): InputValue => ({ name, type, description: null, defaultValue: null, ...more });

/** An enum of introspection. */
export const metaEnum = (
  name: string,
  description: string,
  values: readonly (readonly [name: string, description: string | null])[],
): EnumType => ({
  kind: 'ENUM',
  name,
  description,
  role: { is: 'meta' },
  values: values.map(([value, text]) => ({ name: value, description: text, label: value })),
});

/** Returns a function that computes its result for each key once. */
export const memoize = <Key, Result>(compute: (key: Key) => Result): ((key: Key) => Result) => {
  const known = new Map<Key, Result>();
  return (key) => {
    let result = known.get(key);
    if (result === undefined) {
      result = compute(key);
      known.set(key, result);
    }
    return result;
  };
};
