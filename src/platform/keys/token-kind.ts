/**
 * Determines the purpose for which this project signed a token. All of the project's JWTs are signed with the same
 * keys. Therefore, a valid signature alone doesn't make an ID token or a signed URL's token an API credential.
 */
import type { Claims, TokenKind } from './types.ts';

/**
 * The media types of access tokens in lower case (RFC 7519 section 5.1, RFC 9068 section 2.1). The prefix
 * `application/` can be missing from a token's media type.
 */
const accessTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

export function kindOfToken(header: Readonly<{ typ?: unknown }>, claims: Readonly<Claims>): TokenKind {
  const { typ } = header;
  if (typ !== undefined) {
    if (typeof typ !== 'string') return 'other';
    if (!accessTypes.has(typ.toLowerCase().replace(/^application\//, ''))) return 'other';
  }
  // A token with a role is an access token because the other kinds are issued without a role.
  if (claims.role !== undefined) return 'access';
  if (typeof claims.url === 'string') return 'signed-url';
  // Sessions have no `auth_time`, and ID tokens have no session ID (OpenID Connect Core section 2).
  if (claims.auth_time !== undefined && claims.session_id === undefined) return 'id';
  return 'access';
}
