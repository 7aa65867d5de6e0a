/**
 * Defines the types of introspection and the directives of requests. The descriptions are the GraphQL specification's,
 * as far as upstream shows them. Fields are in the order of their names.
 */

import { field, inputValue, metaEnum, objectType } from './define.ts';
import { list, nonNull } from './lookup.ts';
import { byName } from './names.ts';
import { BOOLEAN, STRING } from './scalars.ts';
import type { Directive, Field, NamedType, ObjectType } from './types.ts';

const metaType = (name: string, description: string, fields: () => readonly Field[]): ObjectType =>
  objectType({ name, description, role: { is: 'meta' } }, () => [...fields()].sort(byName));

const INCLUDE_DEPRECATED = [inputValue('includeDeprecated', BOOLEAN, { defaultValue: 'false' })];

const NAMED: readonly Field[] = [field('name', nonNull(STRING)), field('description', STRING)];

const DEPRECABLE: readonly Field[] = [
  field('isDeprecated', nonNull(BOOLEAN)),
  field('deprecationReason', STRING),
];

const TYPE_KIND = metaEnum('__TypeKind', 'An enum describing what kind of type a given `__Type` is.', [
  ['SCALAR', null],
  ['OBJECT', null],
  ['INTERFACE', null],
  ['UNION', null],
  ['ENUM', null],
  ['INPUT_OBJECT', null],
  ['LIST', null],
  ['NON_NULL', null],
]);

const DIRECTIVE_LOCATION = metaEnum(
  '__DirectiveLocation',
  'A Directive can be adjacent to many parts of the GraphQL language, a __DirectiveLocation describes one such possible adjacencies.',
  [
    ['QUERY', 'Location adjacent to a query operation.'],
    ['MUTATION', 'Location adjacent to a mutation operation.'],
    ['SUBSCRIPTION', 'Location adjacent to a subscription operation.'],
    ['FIELD', 'Location adjacent to a field.'],
    ['FRAGMENT_DEFINITION', 'Location adjacent to a fragment definition.'],
    ['FRAGMENT_SPREAD', 'Location adjacent to a fragment spread.'],
    ['INLINE_FRAGMENT', 'Location adjacent to an inline fragment.'],
    ['VARIABLE_DEFINITION', 'Location adjacent to a variable definition.'],
    ['SCHEMA', 'Location adjacent to a schema definition.'],
    ['SCALAR', 'Location adjacent to a scalar definition.'],
    ['OBJECT', 'Location adjacent to an object type definition.'],
    ['FIELD_DEFINITION', 'Location adjacent to a field definition.'],
    ['ARGUMENT_DEFINITION', 'Location adjacent to an argument definition.'],
    ['INTERFACE', 'Location adjacent to an interface definition.'],
    ['UNION', 'Location adjacent to a union definition.'],
    ['ENUM', 'Location adjacent to an enum definition.'],
    ['ENUM_VALUE', 'Location adjacent to an enum value definition.'],
    ['INPUT_OBJECT', 'Location adjacent to an input object type definition.'],
    ['INPUT_FIELD_DEFINITION', 'Location adjacent to an input object field definition.'],
  ],
);

export const TYPE_TYPE: ObjectType = metaType(
  '__Type',
  'The fundamental unit of any GraphQL Schema is the type. There are many kinds of types in GraphQL as represented by the `__TypeKind` enum.\\n\\nDepending on the kind of a type, certain fields describe information about that type. Scalar types provide no information beyond a name, description and optional `specifiedByURL`, while Enum types provide their values. Object and Interface types provide the fields they describe. Abstract types, Union and Interface, provide the Object types possible at runtime. List and NonNull types compose other types ',
  () => [
    field('name', STRING),
    field('description', STRING),
    field('kind', nonNull(TYPE_KIND)),
    field('inputFields', list(nonNull(INPUT_VALUE_TYPE)), { args: INCLUDE_DEPRECATED }),
    field('interfaces', list(nonNull(TYPE_TYPE))),
    field('possibleTypes', list(nonNull(TYPE_TYPE))),
    field('enumValues', list(nonNull(ENUM_VALUE_TYPE)), { args: INCLUDE_DEPRECATED }),
    field('fields', list(nonNull(FIELD_TYPE)), { args: INCLUDE_DEPRECATED }),
    field('ofType', TYPE_TYPE),
    field('specifiedByURL', STRING),
  ],
);

const FIELD_TYPE: ObjectType = metaType(
  '__Field',
  'Object and Interface types are described by a list of Fields, each of which has a name, potentially a list of arguments, and a return type.',
  () => [
    ...NAMED,
    ...DEPRECABLE,
    field('args', nonNull(list(nonNull(INPUT_VALUE_TYPE))), { args: INCLUDE_DEPRECATED }),
    field('type', nonNull(TYPE_TYPE)),
  ],
);

const INPUT_VALUE_TYPE: ObjectType = metaType(
  '__InputValue',
  'Arguments provided to Fields or Directives and the input fields of an InputObject are represented as Input Values which describe their type and optionally a default value.',
  () => [
    ...NAMED,
    ...DEPRECABLE,
    field('type', nonNull(TYPE_TYPE)),
    field('defaultValue', STRING, {
      description: 'A GraphQL-formatted string representing the default value for this input value.',
    }),
  ],
);

const ENUM_VALUE_TYPE: ObjectType = metaType(
  '__EnumValue',
  'One possible value for a given Enum. Enum values are unique values, not a placeholder for a string or numeric value. However an Enum value is returned in a JSON response as a string.',
  () => [...NAMED, ...DEPRECABLE],
);

const DIRECTIVE_TYPE: ObjectType = metaType(
  '__Directive',
  'A Directive provides a way to describe alternate runtime execution and type validation behavior in a GraphQL document.\\n\\nIn some cases, you need to provide options to alter GraphQL execution behavior in ways field arguments will not suffice, such as conditionally including or skipping a field. Directives provide this by describing additional information to the executor.',
  () => [
    ...NAMED,
    field('isRepeatable', nonNull(BOOLEAN)),
    field('locations', nonNull(list(nonNull(DIRECTIVE_LOCATION)))),
    field('args', nonNull(list(nonNull(INPUT_VALUE_TYPE))), { args: INCLUDE_DEPRECATED }),
  ],
);

export const SCHEMA_TYPE: ObjectType = metaType(
  '__Schema',
  'A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and directives on the server, as well as the entry points for query, mutation, and subscription operations.',
  () => [
    field('types', nonNull(list(nonNull(TYPE_TYPE))), {
      description: 'A list of all types supported by this server.',
    }),
    field('queryType', nonNull(TYPE_TYPE), {
      description: 'The type that query operations will be rooted at.',
    }),
    field('mutationType', TYPE_TYPE, {
      description: 'If this server supports mutation, the type that mutation operations will be rooted at.',
    }),
    field('subscriptionType', TYPE_TYPE, {
      description:
        'If this server support subscription, the type that subscription operations will be rooted at.',
    }),
    field('directives', nonNull(list(nonNull(DIRECTIVE_TYPE))), {
      description: 'A list of all directives supported by this server.',
      args: INCLUDE_DEPRECATED,
    }),
    field('description', STRING),
  ],
);

export const META_TYPES: readonly NamedType[] = [
  TYPE_KIND,
  SCHEMA_TYPE,
  TYPE_TYPE,
  FIELD_TYPE,
  INPUT_VALUE_TYPE,
  ENUM_VALUE_TYPE,
  DIRECTIVE_LOCATION,
  DIRECTIVE_TYPE,
];

const CONDITION_LOCATIONS = ['FIELD', 'FRAGMENT_SPREAD', 'INLINE_FRAGMENT'] as const;

export const DIRECTIVES: readonly Directive[] = [
  {
    name: 'include',
    description: 'This field or fragment will be included only when the `if` argument is true.',
    locations: CONDITION_LOCATIONS,
    args: [inputValue('if', nonNull(BOOLEAN), { description: 'Included when true' })],
  },
  {
    name: 'skip',
    description: 'This field or fragment will be skipped when the `if` argument is true.',
    locations: CONDITION_LOCATIONS,
    args: [inputValue('if', nonNull(BOOLEAN), { description: 'Skipped when true' })],
  },
];
