/**
 * The persona as which a page accesses the project: the operator, an anonymous visitor, a user of the app, or custom
 * claims. Parses and formats the `as` parameter in URLs.
 */
import { ConsoleError } from '../errors.ts';

export type Persona =
  /** The operator, who owns the tables and isn't subject to policies. */
  | { readonly kind: 'operator' }
  | { readonly kind: 'anon' }
  /** `id` is the ID of the user in auth.users. */
  | { readonly kind: 'user'; readonly id: string }
  /** A token's claims. The `role` claim contains the database role. */
  | { readonly kind: 'claims'; readonly claims: Claims };

export type Claims = Readonly<Record<string, unknown>> & { readonly role: string };

/** The maximum length of the claims. A token with longer claims wouldn't fit in a request header. */
const maxClaimsChars = 8000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Parses the `as` parameter.
 * @example
 * parsePersona('user:6b0a…'); // { kind: 'user', id: '6b0a…' }
 * @throws {ConsoleError} bad_request
 */
export function parsePersona(text: string | undefined): Persona {
  if (text === undefined || text === '' || text === 'operator') return { kind: 'operator' };
  if (text === 'anon') return { kind: 'anon' };
  if (text.startsWith('user:')) {
    const id = text.slice(5);
    if (!uuid.test(id)) throw unreadable('A user ID must be a UUID.');
    return { kind: 'user', id: id.toLowerCase() };
  }
  if (text.startsWith('claims:')) return { kind: 'claims', claims: parseClaims(text.slice(7)) };
  throw unreadable('The persona must be operator, anon, user:UUID or claims:BASE64URL.');
}

/** Formats a persona as the `as` parameter. The inverse of {@link parsePersona}. */
export function printPersona(persona: Persona): string {
  switch (persona.kind) {
    case 'user':
      return `user:${persona.id}`;
    case 'claims':
      return `claims:${Buffer.from(JSON.stringify(persona.claims)).toString('base64url')}`;
    default:
      return persona.kind;
  }
}

function parseClaims(encoded: string): Claims {
  if (encoded.length > maxClaimsChars) throw unreadable('The claims are too long.');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    throw unreadable("The claims aren't valid JSON.");
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw unreadable('The claims must be a JSON object.');
  const { role } = value as { role?: unknown };
  if (typeof role !== 'string' || role === '' || role === 'none' || role.includes('\0'))
    throw unreadable('The claims must contain a "role", which is a database role such as "authenticated".');
  return value as Claims;
}

const unreadable = (why: string): ConsoleError =>
  new ConsoleError('bad_request', { message: `as: this “View as” choice is invalid. ${why}` });
