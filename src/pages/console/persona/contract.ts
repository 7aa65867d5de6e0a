import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

/** A persona as text, which is parsed by `persona/persona.ts`. */
export const personaText = z.string().max(12_000).optional();
export const asPersona = z.object({ as: personaText });
const personaSearch = z.object({ search: z.string().max(200).default('') });

export interface PersonaIdentity {
  readonly as: string;
  readonly role: string;
  /** Undefined for the operator, because the operator has no token. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly name: string;
}

export interface UserChoice {
  id: string;
  /** The user's email address or phone number. Null for guests, because they have neither. */
  name: string | null;
  guest: boolean;
}

export interface PersonaToken {
  readonly token: string;
  /** The expiry time in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const contract = {
  'GET /personas/users': {
    query: personaSearch,
    response: json<{ readonly users: readonly UserChoice[] }>(),
  },
  'GET /personas/identity': { query: asPersona, response: json<PersonaIdentity>() },
} as const satisfies RouteTable;
