/** The routes of the persona picker. */
import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

/** A persona as text: `persona/persona.ts` parses it. */
export const personaText = z.string().max(12_000).optional();
export const asPersona = z.object({ as: personaText });
const personaSearch = z.object({ search: z.string().max(200).default('') });

/** A persona's identity in the database. */
export interface PersonaIdentity {
  readonly as: string;
  readonly role: string;
  /** Undefined for the operator, who has no token. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly name: string;
}

export interface UserChoice {
  id: string;
  /** Email address or phone number; null for a guest without either. */
  name: string | null;
  guest: boolean;
}

export interface PersonaToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const contract = {
  'GET /personas/users': {
    query: personaSearch,
    response: json<{ readonly users: readonly UserChoice[] }>(),
  },
  'GET /personas/identity': { query: asPersona, response: json<PersonaIdentity>() },
} as const satisfies RouteTable;
