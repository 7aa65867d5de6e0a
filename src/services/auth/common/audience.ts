/** Determines in which audience a user is looked up. */
import type { Claims } from '../../../platform/keys/types.ts';
import type { AuthContext } from '../context.ts';
import type { Caller } from './caller.ts';

/**
 * Returns the audience in which users are looked up by contact. If the request specifies an audience, returns it.
 * Otherwise, returns the audience of the token. For admin tokens and requests without a token, returns the default
 * audience.
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
