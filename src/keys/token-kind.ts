/**
 * What a token that this project signed is for. All JWTs of a project share its keys, so a good signature alone doesn't
 * make an ID token or a signed URL a credential for the API.
 */
import type { Claims, TokenKind } from './types.ts';

/** Media types of access tokens (RFC 7519 section 5.1, RFC 9068 section 2.1), lowercase; `application/` may be left out. */
const accessTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

export function kindOfToken(header: Readonly<{ typ?: unknown }>, claims: Readonly<Claims>): TokenKind {
  const { typ } = header;
  if (typ !== undefined) {
    if (typeof typ !== 'string') return 'other';
    if (!accessTypes.has(typ.toLowerCase().replace(/^application\//, ''))) return 'other';
  }
  // A role makes a token an access token: the other kinds are issued without one.
  if (claims.role !== undefined) return 'access';
  if (typeof claims.url === 'string') return 'signed-url';
  // Sessions have no `auth_time`; ID tokens name no session (OpenID Connect Core section 2).
  if (claims.auth_time !== undefined && claims.session_id === undefined) return 'id';
  return 'access';
}
