/**
 * The attributes of users and groups (RFC 7643) that this server stores. Other attributes are ignored, so that it stores no
 * more about people than it needs. The definitions also normalize what clients send.
 */
import { isJsonObject, type Json, type JsonObject } from '../../common/json.ts';
import { ScimError } from './errors.ts';

interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly description: string;
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly Attribute[];
  readonly referenceTypes?: readonly string[];
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const plural = (name: string, description: string): Attribute => ({
  name,
  type: 'complex',
  multiValued: true,
  description,
  subAttributes: [
    text('value', 'The value.'),
    text('display', 'A name for display.'),
    text('type', 'The kind of the value, such as "work".'),
    { name: 'primary', type: 'boolean', description: 'Whether this is the preferred value.' },
  ],
});

const userAttributes: readonly Attribute[] = [
  text('userName', 'The name that identifies the user at the identity provider.', {
    required: true,
    uniqueness: 'server',
  }),
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name.',
    subAttributes: [
      text('formatted', 'The full name.'),
      text('familyName', 'The family name.'),
      text('givenName', 'The given name.'),
      text('middleName', 'The middle name.'),
    ],
  },
  text('displayName', 'The name for display.'),
  text('title', 'The job title.'),
  text('preferredLanguage', 'The preferred language.'),
  text('locale', 'The locale.'),
  text('timezone', 'The time zone.'),
  { name: 'active', type: 'boolean', description: 'Whether the user is a member of the organization.' },
  plural('emails', 'Email addresses. The primary one must belong to a verified domain.'),
  plural('phoneNumbers', 'Phone numbers.'),
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    description: 'The groups that the user is in.',
    subAttributes: [
      text('value', 'The ID of the group.', { mutability: 'readOnly' }),
      text('display', 'The name of the group.', { mutability: 'readOnly' }),
    ],
  },
];

const enterpriseAttributes: readonly Attribute[] = [
  text('employeeNumber', 'The number of the employee.'),
  text('costCenter', 'The cost center.'),
  text('organization', 'The organization.'),
  text('division', 'The division.'),
  text('department', 'The department.'),
];

const groupAttributes: readonly Attribute[] = [
  text('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'The users in the group.',
    subAttributes: [
      text('value', 'The ID of the user.', { mutability: 'immutable' }),
      text('display', 'The name of the user.', { mutability: 'readOnly' }),
      text('type', 'Always "User".', { mutability: 'immutable' }),
    ],
  },
];

const externalId = text('externalId', 'The ID at the identity provider.', { caseExact: true });

export interface ResourceSchema {
  readonly id: string;
  readonly name: 'User' | 'Group';
  readonly attributes: readonly Attribute[];
  readonly extensions: Readonly<Record<string, readonly Attribute[]>>;
}

export const users: ResourceSchema = {
  id: userSchema,
  name: 'User',
  attributes: userAttributes,
  extensions: { [enterpriseSchema]: enterpriseAttributes },
};

export const groups: ResourceSchema = {
  id: groupSchema,
  name: 'Group',
  attributes: groupAttributes,
  extensions: {},
};

const maxTextLength = 1000;
const maxValues = 50;
const maxMembers = 20_000;

/**
 * Returns the attributes that this server stores, with their names and types as in the schema. Attribute names and URNs
 * are case-insensitive, and booleans can be strings, as Entra ID sends them.
 * @throws {ScimError} invalidValue
 */
export function normalize(schema: ResourceSchema, value: JsonObject): JsonObject {
  const own = normalizeMembers([externalId, ...schema.attributes], value, '');
  for (const [urn, attributes] of Object.entries(schema.extensions)) {
    const found = Object.entries(value).find(([name]) => name.toLowerCase() === urn.toLowerCase())?.[1];
    if (!isJsonObject(found)) continue;
    const members = normalizeMembers(attributes, found, `${urn}:`);
    if (Object.keys(members).length > 0) own[urn] = members;
  }
  return own;
}

function normalizeMembers(attributes: readonly Attribute[], value: JsonObject, path: string): JsonObject {
  const byName = new Map(attributes.map((one) => [one.name.toLowerCase(), one]));
  const result: JsonObject = {};
  for (const [name, raw] of Object.entries(value)) {
    const attribute = byName.get(name.toLowerCase());
    if (attribute === undefined || attribute.mutability === 'readOnly' || raw === null || raw === undefined)
      continue;
    const normal = normalizeValue(attribute, raw, path + attribute.name);
    if (normal !== undefined) result[attribute.name] = normal;
  }
  return result;
}

function normalizeValue(attribute: Attribute, raw: Json, path: string): Json | undefined {
  if (attribute.multiValued !== true) return normalizeSingle(attribute, raw, path);
  // Some clients send a single value without a list.
  const values = (Array.isArray(raw) ? raw : [raw]).flatMap((each) => {
    const single = normalizeSingle(attribute, typeof each === 'string' ? { value: each } : each, path);
    return single === undefined ? [] : [single];
  });
  if (values.length > (attribute.name === 'members' ? maxMembers : maxValues))
    throw new ScimError(400, `${path} has too many values`, 'invalidValue');
  return values.length === 0 ? undefined : values;
}

function normalizeSingle(attribute: Attribute, raw: Json, path: string): Json | undefined {
  switch (attribute.type) {
    case 'boolean':
      return toBoolean(raw, path);
    case 'complex': {
      if (!isJsonObject(raw)) throw new ScimError(400, `${path} must be an object`, 'invalidValue');
      const members = normalizeMembers(attribute.subAttributes ?? [], raw, `${path}.`);
      return Object.keys(members).length === 0 ? undefined : members;
    }
    default: {
      const value = typeof raw === 'number' ? String(raw) : raw;
      if (typeof value !== 'string') throw new ScimError(400, `${path} must be a string`, 'invalidValue');
      if (value.length > maxTextLength || value.includes('\0') || !value.isWellFormed())
        throw new ScimError(400, `${path} is too long or contains invalid characters`, 'invalidValue');
      return value === '' ? undefined : value;
    }
  }
}

function toBoolean(raw: Json, path: string): boolean {
  if (typeof raw === 'boolean') return raw;
  const word = typeof raw === 'string' ? raw.toLowerCase() : '';
  if (word === 'true') return true;
  if (word === 'false') return false;
  throw new ScimError(400, `${path} must be true or false`, 'invalidValue');
}

/** Returns the name of an attribute as in the schema, or undefined if the schema doesn't have it. */
export const canonicalName = (schema: ResourceSchema, name: string): string | undefined =>
  [externalId, ...schema.attributes].find((one) => one.name.toLowerCase() === name.toLowerCase())?.name ??
  Object.keys(schema.extensions).find((urn) => urn.toLowerCase() === name.toLowerCase());

const describe = (attribute: Attribute): JsonObject => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.multiValued ?? false,
  description: attribute.description,
  required: attribute.required ?? false,
  ...(attribute.type === 'boolean' || attribute.type === 'complex'
    ? {}
    : { caseExact: attribute.caseExact ?? false }),
  mutability: attribute.mutability ?? 'readWrite',
  returned: 'default',
  ...(attribute.type === 'boolean' ? {} : { uniqueness: attribute.uniqueness ?? 'none' }),
  ...(attribute.subAttributes === undefined ? {} : { subAttributes: attribute.subAttributes.map(describe) }),
});

const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** The representation of the schemas. */
export function renderSchemas(base: string): JsonObject[] {
  const one = (
    id: string,
    name: string,
    description: string,
    attributes: readonly Attribute[],
  ): JsonObject => ({
    schemas: [schemaSchema],
    id,
    name,
    description,
    attributes: attributes.map(describe),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  return [
    one(userSchema, 'User', 'User Account', userAttributes),
    one(groupSchema, 'Group', 'Group', groupAttributes),
    one(enterpriseSchema, 'EnterpriseUser', 'Enterprise User', enterpriseAttributes),
  ];
}

const typeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';

export const renderResourceTypes = (base: string): JsonObject[] => [
  {
    schemas: [typeSchema],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'User Account',
    schema: userSchema,
    schemaExtensions: [{ schema: enterpriseSchema, required: false }],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
  },
  {
    schemas: [typeSchema],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    description: 'Group',
    schema: groupSchema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/Group` },
  },
];

export const renderConfig = (base: string, maxResults: number): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token that was created with a setup link.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});
