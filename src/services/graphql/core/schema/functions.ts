/** Builds the entry points that call functions: queries for stable and immutable ones, mutations for volatile ones. */

import type { FunctionArgument, SqlFunction, SqlType, Volatility } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { field, inputValue } from './define.ts';
import { nonNull } from './lookup.ts';
import { functionArgumentName, functionFieldName, isValidName } from './names.ts';
import { canRead } from './privileges.ts';
import { graphqlType } from './sql-types.ts';
import type { Field, InputValue } from './types.ts';

/** Schemas of the system, whose functions aren't part of the schema even if they're on the search path. */
const SYSTEM_SCHEMAS: readonly string[] = ['graphql', 'graphql_public', 'auth', 'extensions'];

/** Results that no caller can use, although PostgreSQL counts them among the ordinary types. */
const UNSUPPORTED_RESULTS: readonly string[] = ['record', 'trigger', 'event_trigger'];

export const functionFields = (
  context: SchemaContext,
  volatilities: readonly Volatility[],
): readonly Field[] => {
  const overloaded = overloadedNames(context.catalog.functions);
  return context.catalog.functions
    .filter((definition) => volatilities.includes(definition.volatility))
    .filter((definition) => !overloaded.has(definition.name) && isSupported(context, definition))
    .flatMap((definition) => functionField(context, definition) ?? [])
    .filter((entry) => isValidName(entry.name));
};

/** Overloaded functions aren't supported, because a field has one set of arguments. */
const overloadedNames = (functions: readonly SqlFunction[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of functions) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
};

const isSupported = (context: SchemaContext, definition: SqlFunction): boolean => {
  const { types } = context.catalog;
  const result = types.get(definition.returnTypeOid);
  return (
    definition.executable &&
    !SYSTEM_SCHEMAS.includes(definition.schema) &&
    result !== undefined &&
    result.category !== 'Enum' &&
    !UNSUPPORTED_RESULTS.includes(result.name) &&
    (result.category !== 'Array' || hasPlainElement(context, result)) &&
    definition.arguments.every((argument) => isSupportedArgument(context, argument))
  );
};

const isSupportedArgument = (context: SchemaContext, argument: FunctionArgument): boolean => {
  const type = context.catalog.types.get(argument.typeOid);
  if (!type || argument.name === null) return false;
  return type.category === 'Other' || (type.category === 'Array' && hasPlainElement(context, type));
};

const hasPlainElement = (context: SchemaContext, type: SqlType): boolean =>
  type.elementOid !== null && context.catalog.types.get(type.elementOid)?.category === 'Other';

const functionField = (context: SchemaContext, definition: SqlFunction): Field | undefined => {
  const { catalog } = context;
  const sqlType = catalog.types.get(definition.returnTypeOid);
  const type = sqlType && graphqlType(context, sqlType, { setOf: definition.setOf });
  if (!type) return undefined;
  const given = definition.arguments.flatMap((argument) => functionArgument(context, definition, argument));
  const table = type.kind === 'OBJECT' && 'table' in type.role ? type.role.table : undefined;
  if (table && !canRead(catalog, table)) return undefined;
  const paging =
    table && type.kind === 'OBJECT' && type.role.is === 'connection'
      ? context.typesOf(table).connectionArguments
      : [];
  if (paging.some(({ name }) => given.some((argument) => argument.name === name))) return undefined;
  return field(functionFieldName(catalog, definition), type, {
    description: definition.directives.description,
    args: [...given, ...paging],
    source: { is: 'call', function: definition },
  });
};

const functionArgument = (
  context: SchemaContext,
  definition: SqlFunction,
  argument: FunctionArgument,
): readonly InputValue[] => {
  const sqlType = context.catalog.types.get(argument.typeOid);
  const type = sqlType && graphqlType(context, sqlType);
  if (!type || argument.name === null) return [];
  return [
    inputValue(
      functionArgumentName(context.catalog, definition, argument.name),
      argument.default === null ? nonNull(type) : type,
      {
        defaultValue: argument.default === null ? null : defaultLiteral(argument),
        source: { is: 'argument', name: argument.name, typeName: argument.typeName },
      },
    ),
  ];
};

/** Returns the default as a GraphQL literal, or null if it's NULL, an expression or of another type. */
const defaultLiteral = (argument: FunctionArgument): string | null => {
  const text = argument.default?.trim() ?? '';
  switch (argument.typeOid) {
    case 21: // smallint
    case 23: // integer
      return /^[+-]?\d+$/.test(text) ? String(Number(text)) : null;
    case 16: // boolean
      return text === 'true' || text === 'false' ? text : null;
    case 700: // real
    case 701: // double precision
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? String(Number(text)) : null;
    case 25: {
      const literal = /^'((?:[^']|'')*)'::text$/s.exec(text)?.[1];
      return literal === undefined ? null : JSON.stringify(literal.replaceAll("''", "'"));
    }
    default:
      return null;
  }
};
