/** Reads the user, the end of the session, and the attributes from an assertion, as GoTrue 2.196 does. */
import { childOf, childrenOf, type XmlElement } from '../../../../base/shared/xml.ts';
import { isJsonObject, type Json, type JsonObject } from '../../common/json.ts';
import { authError } from '../../errors.ts';
import { assertionNamespace, nameIdFormats } from './xml.ts';

/** The rule for a claim: the attributes that can contain the claim's value, and a default value. */
export interface AttributeRule {
  readonly name?: string;
  readonly names?: readonly string[];
  readonly default?: Json;
  readonly array?: boolean;
}

export interface AttributeMapping {
  readonly keys?: Readonly<Record<string, AttributeRule>>;
}

/** Parses an attribute mapping. Returns undefined if the mapping is invalid. */
export function parseAttributeMapping(value: JsonObject): AttributeMapping | undefined {
  const { keys } = value;
  if (keys === undefined || keys === null) return {};
  if (!isJsonObject(keys)) return undefined;
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === 'string');
  const areRules = Object.values(keys).every(
    (rule) =>
      isJsonObject(rule) &&
      ['undefined', 'string'].includes(typeof rule.name) &&
      ['undefined', 'boolean'].includes(typeof rule.array) &&
      (rule.names === undefined || rule.names === null || isTexts(rule.names)),
  );
  return areRules ? { keys: keys as Record<string, AttributeRule> } : undefined;
}

const subjectIdAttribute = 'urn:oasis:names:tc:SAML:attribute:subject-id';

const emailAttributes = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'email',
];

/** Returns all values of attributes whose name or friendly name is `name`, ignoring case. */
function valuesOf(assertion: XmlElement, name: string): string[] {
  const expected = name.toLowerCase();
  return childrenOf(assertion, assertionNamespace, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, assertionNamespace, 'Attribute'))
    .filter(({ attributes }) =>
      ['Name', 'FriendlyName'].some((key) => attributes.get(key)?.toLowerCase() === expected),
    )
    .flatMap((attribute) => childrenOf(attribute, assertionNamespace, 'AttributeValue'))
    .map(({ text }) => text);
}

/** Returns all attributes, for a test of a connection. */
export const listAttributes = (assertion: XmlElement): { name: string; value: string }[] =>
  childrenOf(assertion, assertionNamespace, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, assertionNamespace, 'Attribute'))
    .map((attribute) => ({
      name: attribute.attributes.get('Name') ?? '',
      value: childrenOf(attribute, assertionNamespace, 'AttributeValue')
        .map(({ text }) => text)
        .join(', '),
    }));

function nameIdOf(assertion: XmlElement): { format: string; value: string } | undefined {
  const subject = childOf(assertion, assertionNamespace, 'Subject');
  const nameId = subject && childOf(subject, assertionNamespace, 'NameID');
  return nameId && { format: nameId.attributes.get('Format') ?? '', value: nameId.text };
}

/** Returns the user's persistent identifier at the provider, or `''` if the assertion contains no such identifier. */
function userIdOf(assertion: XmlElement): string {
  const [subjectId] = valuesOf(assertion, subjectIdAttribute);
  if (subjectId !== undefined) return subjectId;
  const nameId = nameIdOf(assertion);
  if (!nameId || nameId.format === nameIdFormats.transient) return '';
  return nameId.format === nameIdFormats.email ? nameId.value.trim().toLowerCase() : nameId.value;
}

/** Returns the value that is most likely the user's email address, or `''` if the assertion contains no address. */
function emailOf(assertion: XmlElement): string {
  for (const name of emailAttributes) {
    const email = valuesOf(assertion, name).find((value) => value !== '');
    if (email !== undefined) return email;
  }
  const nameId = nameIdOf(assertion);
  return nameId?.format === nameIdFormats.email ? nameId.value : '';
}

/** Maps attributes to claims. The value of a claim is the value of the first attribute in its rule that has one. */
function mapAttributes(assertion: XmlElement, { keys = {} }: AttributeMapping): [string, Json][] {
  return Object.entries(keys).flatMap(([key, rule]): [string, Json][] => {
    const values = [...(rule.name ? [rule.name] : []), ...(rule.names ?? [])]
      .map((name) => valuesOf(assertion, name).filter((value) => value !== ''))
      .find((found) => found.length > 0);
    if (values) return [[key, rule.array ? values : (values[0] ?? '')]];
    return rule.default === undefined || rule.default === null ? [] : [[key, rule.default]];
  });
}

/** The standard claims. They keep their names. All other mapped claims are stored in `custom_claims`. */
const standardClaims = new Set(
  (
    'name family_name given_name middle_name nickname preferred_username profile picture website gender birthdate ' +
    'zoneinfo locale updated_at phone full_name avatar_url slug provider_id user_name'
  ).split(' '),
);

/** The claims that a mapping can't override. */
const ownClaims = new Set(['iss', 'sub', 'email', 'email_verified', 'phone_verified', 'custom_claims']);

export interface AssertedUser {
  readonly email: string;
  readonly claims: JsonObject & { readonly sub: string };
}

/** Returns the user from an assertion. @throws {AuthError} saml_assertion_no_user_id, saml_assertion_no_email */
export function readUser(assertion: XmlElement, entityId: string, mapping: AttributeMapping): AssertedUser {
  const sub = userIdOf(assertion);
  if (sub === '') throw authError('saml_assertion_no_user_id');
  const mapped = mapAttributes(assertion, mapping);
  const mappedEmail = mapped.find(([key]) => key === 'email')?.[1];
  const email = typeof mappedEmail === 'string' && mappedEmail !== '' ? mappedEmail : emailOf(assertion);
  if (email === '') throw authError('saml_assertion_no_email');
  const others = mapped.filter(([key]) => !ownClaims.has(key));
  const isStandard = ([key, value]: [string, Json]) => standardClaims.has(key) && typeof value === 'string';
  const custom = others.filter((claim) => !isStandard(claim));
  return {
    email,
    claims: {
      ...Object.fromEntries(others.filter(isStandard)),
      ...(custom.length === 0 ? {} : { custom_claims: Object.fromEntries(custom) }),
      iss: entityId,
      sub,
      email,
      email_verified: true,
      phone_verified: false,
    },
  };
}

/**
 * Returns the time at which the session at the provider ends, as ISO 8601 text. Returns undefined if the assertion
 * doesn't specify this time.
 */
export function sessionEndOf(assertion: XmlElement): string | undefined {
  return childrenOf(assertion, assertionNamespace, 'AuthnStatement')
    .map(({ attributes }) => attributes.get('SessionNotOnOrAfter'))
    .find((end) => end !== undefined);
}
