/**
 * Answers `__schema` and `__type` from the schema, without the database. Error messages are upstream's
 * (pg_graphql 1.6).
 *
 * The answers are JSON texts. Most parts of an introspection occur many times, such as the type `String!`. Their texts
 * are written once and joined, which takes a fraction of the time that objects and JSON.stringify would need.
 */

import { GraphqlError } from './error.ts';
import type { SelectedField } from './schema/selection.ts';
import type { Directive, EnumValue, Field, InputValue, Schema, Type } from './schema/types.ts';
import { isListed, isShownField, isShownInput, isShownValue } from './schema/visibility.ts';

/**
 * Answers the introspection of one request, whose fields share a limit.
 *
 * @example new Introspection(schema).type(selected, 'Account') // '{"name":"Account"}'
 */
export class Introspection {
  readonly #schema: Schema;
  #introspector: ReturnType<typeof introspector> | undefined;
  /** The number of objects in the responses so far. */
  #objects = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Answers the field `__schema`. Yields after each type, because the types of a large schema take hundreds of
   * milliseconds.
   *
   * @throws a GraphqlError for an unknown field, or if the response is too large.
   */
  *schema(selected: SelectedField): Generator<void, string> {
    return this.#add(yield* this.#open().schema(selected));
  }

  /** Answers the field `__type`. `null` if no type has the name, or introspection hides it. Throws like `schema`. */
  type(selected: SelectedField, name: string): string {
    const type = this.#schema.types.get(name);
    if (!type || !isListed(this.#schema, type)) return 'null';
    return this.#add(this.#open().type(type, selected));
  }

  /** Opened on first use, because it needs all types. */
  #open() {
    const maxObjects = this.#schema.types.size * MAX_OBJECTS_PER_TYPE;
    this.#introspector ??= introspector(this.#schema, () => maxObjects - this.#objects);
    return this.#introspector;
  }

  #add({ json, objects }: Sized): string {
    this.#objects += objects;
    return json;
  }
}

/**
 * The most objects that the introspection of one request has, as a multiple of the schema's types. The full introspection of GraphiQL has
 * about 25 per type; nested fields of fields multiply.
 */
const MAX_OBJECTS_PER_TYPE = 100;

/** The JSON text of a part of the response, and the number of objects in it. */
interface Sized {
  readonly json: string;
  readonly objects: number;
}

type Writer<Subject> = (subject: Subject, selected: SelectedField) => Sized;

type Scalar = null | boolean | string | readonly string[];

/** Reads the value of a field, which is a part of the response or a scalar. */
type Reader<Subject> = (subject: Subject, selected: SelectedField) => Sized | Scalar;

/** A selected field and the JSON text of its key. */
interface Selection {
  readonly field: SelectedField;
  readonly key: string;
}

/** The JSON text of a key, and the value. */
type Value = readonly [key: string, value: Sized | Scalar];

const introspector = (schema: Schema, remaining: () => number) => {
  const { write, many, join, selectionsOf, counted } = writers(remaining);

  const type: Writer<Type> = (subject, selected) => write('__Type', TYPE_FIELDS, subject, selected);
  const optionalType = (subject: Type | undefined, selected: SelectedField) =>
    subject ? type(subject, selected) : null;
  const inputValues = (subjects: readonly InputValue[], selected: SelectedField) =>
    many(
      subjects.filter((subject) => isShownInput(schema, subject)),
      (subject) => write('__InputValue', INPUT_VALUE_FIELDS, subject, selected),
    );

  const TYPE_FIELDS: Fields<Type> = {
    unknown: (name) => `unknown field on __Type: ${name}`,
    read: {
      kind: (subject) => subject.kind,
      name: (subject) => ('name' in subject ? subject.name : null),
      description: (subject) => ('description' in subject ? subject.description : null),
      fields: (subject, selected) =>
        'fields' in subject
          ? many(
              subject.fields.filter((entry) => isShownField(schema, entry)),
              (entry) => write('__Field', FIELD_FIELDS, entry, selected),
            )
          : null,
      inputFields: (subject, selected) =>
        'inputFields' in subject ? inputValues(subject.inputFields, selected) : null,
      // GraphiQL requires lists for both, although the specification allows null.
      interfaces: (subject, selected) =>
        many('interfaces' in subject ? subject.interfaces : [], (entry) => type(entry, selected)),
      enumValues: (subject, selected) =>
        many('values' in subject ? subject.values.filter(isShownValue) : [], (entry) =>
          write('__EnumValue', ENUM_VALUE_FIELDS, entry, selected),
        ),
      possibleTypes: (subject, selected) =>
        subject.kind === 'INTERFACE'
          ? many(
              schema.nodeTypes.filter((entry) => isListed(schema, entry)),
              (entry) => type(entry, selected),
            )
          : null,
      ofType: (subject, selected) => optionalType('of' in subject ? subject.of : undefined, selected),
      specifiedByURL: () => null,
    },
  };

  const FIELD_FIELDS: Fields<Field> = {
    unknown: (name) => `unknown field in __Field ${name}`,
    read: {
      ...MEMBER_FIELDS,
      args: (subject, selected) => inputValues(subject.args, selected),
      type: (subject, selected) => type(subject.type, selected),
    },
  };

  const INPUT_VALUE_FIELDS: Fields<InputValue> = {
    unknown: (name) => `unknown field in __InputValue: ${name}`,
    read: {
      ...MEMBER_FIELDS,
      type: (subject, selected) => type(subject.type, selected),
      defaultValue: (subject) => subject.defaultValue,
    },
  };

  const DIRECTIVE_FIELDS: Fields<Directive> = {
    unknown: (name) => `unknown field ${name} in __Directive`,
    read: {
      name: (subject) => subject.name,
      description: (subject) => subject.description,
      locations: (subject) => subject.locations,
      args: (subject, selected) => inputValues(subject.args, selected),
      isRepeatable: () => false,
    },
  };

  const SCHEMA_FIELDS: Fields<Schema> = {
    unknown: (name) => `unknown field in __Schema: ${name}`,
    read: {
      description: () => 'Represents the GraphQL schema of the database',
      queryType: (subject, selected) => type(subject.query, selected),
      mutationType: ({ mutation }, selected) =>
        optionalType(mutation && isListed(schema, mutation) ? mutation : undefined, selected),
      subscriptionType: () => null,
      directives: (subject, selected) =>
        many(subject.directives, (entry) => write('__Directive', DIRECTIVE_FIELDS, entry, selected)),
    },
  };

  /** Writes the fields of a type in advance, because the query type and the mutation type have thousands. */
  function* writeFields(subject: Type, selected: SelectedField): Generator<void, void> {
    if (!('fields' in subject)) return;
    for (const { field } of selectionsOf(selected, '__Type')) {
      if (field.name !== 'fields') continue;
      for (const entry of subject.fields) {
        if (!isShownField(schema, entry)) continue;
        write('__Field', FIELD_FIELDS, entry, field);
        yield;
      }
    }
  }

  function* types(selected: SelectedField): Generator<void, Sized> {
    const parts: Sized[] = [];
    let objects = 0;
    for (const entry of schema.types.values()) {
      if (!isListed(schema, entry)) continue;
      yield* writeFields(entry, selected);
      const part = type(entry, selected);
      objects = counted(objects + part.objects);
      parts.push(part);
      yield;
    }
    return { json: `[${parts.map(({ json }) => json).join(',')}]`, objects };
  }

  /** Like `write`, but yields while it writes the list of all types. */
  function* writeSchema(selected: SelectedField): Generator<void, Sized> {
    const values: Value[] = [];
    for (const { field, key } of selectionsOf(selected, '__Schema'))
      values.push([
        key,
        field.name === 'types' ? yield* types(field) : readField('__Schema', SCHEMA_FIELDS, schema, field),
      ]);
    return join(values);
  }

  return { type, schema: writeSchema };
};

/** The readable fields of an introspection type, and its message for all others. */
interface Fields<Subject> {
  readonly unknown: (name: string) => string;
  readonly read: Readonly<Record<string, Reader<Subject>>>;
}

/** The fields that fields, input values and enum values share. Nothing is deprecated. */
const MEMBER_FIELDS: Readonly<
  Record<string, (subject: { readonly name: string; readonly description: string | null }) => Scalar>
> = {
  name: (subject) => subject.name,
  description: (subject) => subject.description,
  isDeprecated: () => false,
  deprecationReason: () => null,
};

const ENUM_VALUE_FIELDS: Fields<EnumValue> = {
  unknown: (name) => `unknown field in __EnumValue: ${name}`,
  read: MEMBER_FIELDS,
};

/**
 * Writes objects, each combination of a subject and a selection once. A response shares equal parts, so its size is
 * counted rather than its work: a selection that nests fields within fields grows with a power of the schema.
 */
const writers = (remaining: () => number) => {
  const written = new WeakMap<SelectedField, Map<object, Sized>>();
  const selections = new WeakMap<SelectedField, readonly Selection[]>();

  const selectionsOf = (selected: SelectedField, typeName: string): readonly Selection[] => {
    let known = selections.get(selected);
    if (!known) {
      known = selected.selections(typeName).map((field) => ({ field, key: JSON.stringify(field.key) }));
      selections.set(selected, known);
    }
    return known;
  };

  const counted = (objects: number): number => {
    if (objects > remaining()) throw new GraphqlError('The introspection response is too large');
    return objects;
  };

  /** Joins the values of an object's fields. */
  const join = (values: readonly Value[]): Sized => {
    let members = '';
    let objects = 1;
    for (const [key, value] of values) {
      const isPart = isSized(value);
      if (isPart) objects += value.objects;
      members += `${members === '' ? '' : ','}${key}:${isPart ? value.json : JSON.stringify(value)}`;
    }
    return { json: `{${members}}`, objects: counted(objects) };
  };

  const write = <Subject extends object>(
    typeName: string,
    fields: Fields<Subject>,
    subject: Subject,
    selected: SelectedField,
  ): Sized => {
    let subjects = written.get(selected);
    if (!subjects) {
      subjects = new Map();
      written.set(selected, subjects);
    }
    const known = subjects.get(subject);
    if (known) {
      counted(known.objects);
      return known;
    }
    const result = join(
      selectionsOf(selected, typeName).map(({ field, key }) => [
        key,
        readField(typeName, fields, subject, field),
      ]),
    );
    subjects.set(subject, result);
    return result;
  };

  const many = <Subject>(subjects: readonly Subject[], one: (subject: Subject) => Sized): Sized => {
    let objects = 0;
    const json = subjects.map((subject) => {
      const result = one(subject);
      objects = counted(objects + result.objects);
      return result.json;
    });
    return { json: `[${json.join(',')}]`, objects };
  };

  return { write, many, join, selectionsOf, counted };
};

const readField = <Subject>(
  typeName: string,
  fields: Fields<Subject>,
  subject: Subject,
  selected: SelectedField,
): Sized | Scalar => {
  // Upstream returns a type's own name, which its tests fix, where the specification has `__Type`.
  if (selected.name === '__typename') return typeName === '__Type' ? (nameOf(subject) ?? typeName) : typeName;
  const read = Object.hasOwn(fields.read, selected.name) ? fields.read[selected.name] : undefined;
  if (!read) throw new GraphqlError(fields.unknown(selected.name));
  return read(subject, selected);
};

const nameOf = (subject: unknown): string | undefined =>
  typeof subject === 'object' && subject !== null && 'name' in subject && typeof subject.name === 'string'
    ? subject.name
    : undefined;

const isSized = (value: Sized | Scalar): value is Sized =>
  typeof value === 'object' && value !== null && 'objects' in value;
