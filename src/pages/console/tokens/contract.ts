import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { type OperatorRole, roles } from '../core/roles.ts';

/** The token lifetimes that the Console offers, in days. Null means that the token never expires. */
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
  /**
   * The role that requests with the token have. The effective role is the role of the token or of the operator,
   * whichever has fewer permissions.
   */
  readonly role: OperatorRole;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly isExpired: boolean;
}

export const contract = {
  /** Owners see the tokens of all operators. Other operators see only their own tokens. */
  'GET /tokens': { response: json<{ readonly tokens: readonly TokenSummary[] }>() },
  /** Creates a token for the signed-in operator. The token is included only in this response. */
  'POST /tokens': {
    body: newToken,
    response: json<{ readonly token: string; readonly expiresAt: string | null }>(),
  },
  'DELETE /tokens/:id': { response: noContent },
} as const satisfies RouteTable;
