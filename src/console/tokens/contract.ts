import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { type OperatorRole, roles } from '../core/roles.ts';

/** The lifetimes that the Console offers, in days. Null means that the token doesn't expire. */
export const lifetimes = [7, 30, 90, 365, null] as const;

const newToken = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{C}]+$/u, "isn't a valid name"),
  role: z.enum(roles),
  lifetimeDays: z.literal(lifetimes),
});

export interface TokenSummary {
  readonly id: string;
  readonly name: string;
  readonly operatorName: string;
  /** The role for requests with the token: the token's or the operator's, whichever has fewer permissions. */
  readonly role: OperatorRole;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly isExpired: boolean;
}

export const contract = {
  /** Owners see all tokens, and other operators see their own. */
  'GET /tokens': { response: json<{ readonly tokens: readonly TokenSummary[] }>() },
  /** Creates a token for the signed-in operator. Only this response contains the token. */
  'POST /tokens': {
    body: newToken,
    response: json<{ readonly token: string; readonly expiresAt: string | null }>(),
  },
  'DELETE /tokens/:id': { response: noContent },
} as const satisfies RouteTable;
