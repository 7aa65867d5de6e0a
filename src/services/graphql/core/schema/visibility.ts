/** Decides what introspection shows. A schema's objects are shown only if its directive allows introspection. */

import { namedType } from './lookup.ts';
import { isValidName } from './names.ts';
import type { EnumValue, Field, InputValue, NamedType, Schema, Type } from './types.ts';

/** The oid of the schema that the type belongs to, or undefined for types that every GraphQL schema has. */
const schemaOidOf = (type: NamedType): number | undefined => {
  if (type.kind === 'SCALAR' || type.kind === 'INTERFACE') return undefined;
  const { role } = type;
  if ('table' in role) return role.table.schemaOid;
  if (role.is === 'sql') return role.enum.schemaOid;
  if (role.is === 'valueFilter' && role.value.kind === 'ENUM') return schemaOidOf(role.value);
  return undefined;
};

const allows = (schema: Schema, schemaOid: number): boolean =>
  schema.catalog.schemas.get(schemaOid)?.directives.introspection ?? false;

/** Whether introspection lists the type. Only the listed types may be mentioned, or clients reject the response. */
export const isListed = (schema: Schema, type: Type): boolean => {
  const named = namedType(type);
  // An object type without fields isn't valid.
  if (named === schema.mutation) return schema.mutation.fields.some((field) => isShownField(schema, field));
  const schemaOid = schemaOidOf(named);
  if (schemaOid === undefined) return true;
  return allows(schema, schemaOid) && schema.types.has(named.name);
};

/** Whether introspection shows the field. `__type` and `__schema` aren't shown, by specification. */
export const isShownField = (schema: Schema, field: Field): boolean =>
  field.source?.is !== '__type' &&
  field.source?.is !== '__schema' &&
  (field.source?.is !== 'call' || allows(schema, field.source.function.schemaOid)) &&
  isListed(schema, field.type);

/** Whether introspection shows the argument or input field. A column without a valid name is set by variables only. */
export const isShownInput = (schema: Schema, input: InputValue): boolean =>
  isValidName(input.name) && isListed(schema, input.type);

/** Whether introspection shows the value. Clients reject a whole schema because of a label without a valid name. */
export const isShownValue = ({ name }: EnumValue): boolean => isValidName(name);
