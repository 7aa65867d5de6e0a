/** Reads and prints the persona in the URL (`as=`). The server resolves the persona in `src/pages/console/persona`. */

export type Persona =
  | { readonly kind: 'operator' }
  | { readonly kind: 'anon' }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>> };

export interface AsSearch {
  readonly as?: string;
}

/** Validates a route's search parameters. If the persona is invalid, the operator is used instead. */
export function validateAs(search: Readonly<Record<string, unknown>>): AsSearch {
  const { as } = search;
  return typeof as === 'string' && parsePersona(as).kind !== 'operator' ? { as } : {};
}

const operator: Persona = { kind: 'operator' };

export function parsePersona(text: string | undefined): Persona {
  if (text === 'anon') return { kind: 'anon' };
  if (text?.startsWith('user:')) return { kind: 'user', id: text.slice(5) };
  if (text?.startsWith('claims:')) {
    const claims = parseClaims(decode(text.slice(7)));
    return claims === undefined ? operator : { kind: 'claims', claims };
  }
  return operator;
}

/** Returns the text that stands for the persona in the URL, or undefined for the operator. */
export function printPersona(persona: Persona): string | undefined {
  switch (persona.kind) {
    case 'operator':
      return undefined;
    case 'anon':
      return 'anon';
    case 'user':
      return `user:${persona.id}`;
    case 'claims':
      return `claims:${encode(JSON.stringify(persona.claims))}`;
  }
}

/** Parses claims. Returns undefined unless the text is a JSON object that contains a role. */
export function parseClaims(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    const { role } = value as { role?: unknown };
    return typeof role === 'string' && role !== '' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function encode(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(base64url: string): string {
  try {
    const bytes = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
