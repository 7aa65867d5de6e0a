/** Determines the audience for user lookups. */
import type { Claims } from '../../keys/types.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';

/**
 * Returns the audience for looking up users by contact. This is the audience in the request, or else the token's
 * audience. For admin tokens and requests without a token, it is the default audience.
 */
export function audienceOf(ctx: AuthContext, caller: Caller, claims?: Claims): string {
  if (caller.audience) return caller.audience;
  const isAdmin = typeof claims?.role === 'string' && ctx.settings.adminRoles.includes(claims.role);
  return (claims && !isAdmin && firstAudience(claims)) || ctx.settings.audience;
}

export function firstAudience(claims: Claims): string | undefined {
  const first: unknown = Array.isArray(claims.aud) ? claims.aud[0] : claims.aud;
  return typeof first === 'string' ? first : undefined;
}
