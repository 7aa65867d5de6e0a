/**
 * Lists the auth service's routes below `/auth/v1`. `coverage.test.ts` fails if the list differs from the registered
 * routes, or if no test covers a route's success or failure.
 */
export interface RouteEntry {
  readonly method: string;
  /** The path, with variables in braces. */
  readonly path: string;
  /** The reason why no test can make the route succeed. */
  readonly noSuccess?: string;
  readonly noFailure?: string;
}

const constant = 'the same response for all clients';

/** The routes of GoTrue 2.196. */
const upstreamRoutes: readonly RouteEntry[] = [
  ...routes('GET /health', { noFailure: constant }),
  ...routes('GET /settings', { noFailure: constant }),
  ...routes('GET /.well-known/jwks.json', { noFailure: constant }),
  ...routes('GET /.well-known/openid-configuration', { noFailure: constant }),
  ...routes('GET /.well-known/oauth-authorization-server'),
  ...routes('POST /signup', 'POST /token', 'POST /otp', 'POST /magiclink', 'POST /recover', 'POST /resend'),
  ...routes('GET /verify', 'POST /verify', 'GET /reauthenticate', 'GET /user', 'PUT /user', 'POST /logout'),
  ...routes('GET /authorize', 'GET /callback', 'POST /callback'),
  ...routes('GET /user/identities/authorize', 'DELETE /user/identities/{identityId}'),
  ...routes('POST /factors', 'DELETE /factors/{factorId}'),
  ...routes('POST /factors/{factorId}/challenge', 'POST /factors/{factorId}/verify'),
  ...routes('POST /passkeys/registration/options', 'POST /passkeys/registration/verify'),
  ...routes('POST /passkeys/authentication/options', 'POST /passkeys/authentication/verify'),
  ...routes('GET /passkeys', 'PATCH /passkeys/{id}', 'DELETE /passkeys/{id}'),
  ...routes('POST /sso', 'GET /sso/saml/metadata', 'POST /sso/saml/acs'),
  ...routes('POST /invite', 'POST /admin/generate_link', 'GET /admin/audit'),
  ...routes('GET /admin/users', 'POST /admin/users'),
  ...routes('GET /admin/users/{userId}', 'PUT /admin/users/{userId}', 'DELETE /admin/users/{userId}'),
  ...routes('GET /admin/users/{userId}/factors'),
  ...routes(
    'PUT /admin/users/{userId}/factors/{factorId}',
    'DELETE /admin/users/{userId}/factors/{factorId}',
  ),
  ...routes('GET /admin/users/{userId}/passkeys', 'DELETE /admin/users/{userId}/passkeys/{passkeyId}'),
  ...collection('/admin/sso/providers'),
  ...collection('/admin/oauth/clients'),
  ...routes('POST /admin/oauth/clients/{id}/regenerate_secret'),
  ...collection('/admin/custom-providers'),
  ...routes(
    'GET /oauth/authorize',
    'GET /oauth/authorizations/{id}',
    'POST /oauth/authorizations/{id}/consent',
  ),
  ...routes(
    'POST /oauth/token',
    'GET /oauth/userinfo',
    'GET /oauth/logout',
    'POST /oauth/logout',
    'POST /oauth/clients/register',
  ),
  ...routes('GET /user/oauth/grants', 'DELETE /user/oauth/grants'),
  ...routes('GET /scim/v2/ServiceProviderConfig', 'GET /scim/v2/ResourceTypes', 'GET /scim/v2/Schemas', {
    noSuccess: 'off, as upstream',
  }),
];

/** The routes that only Plinth has. The table "Additional endpoints" in docs/compatibility.md describes them. */
export const additionalRoutes: readonly RouteEntry[] = [
  ...routes('GET /factors/recovery-codes', 'POST /factors/recovery-codes', 'DELETE /factors/recovery-codes'),
  ...routes('POST /factors/recovery-codes/verify'),
  ...routes(
    'GET /admin/users/{userId}/factors/recovery-codes',
    'DELETE /admin/users/{userId}/factors/recovery-codes',
  ),
  ...routes('GET /user/sessions', 'DELETE /user/sessions/{id}', 'GET /user/security-events'),
  ...routes('DELETE /user/email_change', 'DELETE /user/phone_change', 'GET /user/data', 'DELETE /user'),
  ...routes('POST /organizations/invitations'),
  ...routes('GET /user/api-keys', 'POST /user/api-keys', 'DELETE /user/api-keys/{id}'),
  ...routes('GET /admin/users/{userId}/api-keys', 'DELETE /admin/users/{userId}/api-keys/{id}'),
  ...routes('GET /organizations/available', 'POST /organizations/{id}/join', 'GET /organizations/{id}/sso'),
  ...routes('PATCH /organizations/{id}/sso', 'DELETE /organizations/{id}/sso'),
  ...routes('POST /organizations/{id}/domains', 'POST /organizations/{id}/domains/{domain}/check'),
  ...routes('PATCH /organizations/{id}/domains/{domain}', 'DELETE /organizations/{id}/domains/{domain}'),
  ...routes('POST /organizations/{id}/setup-links', 'DELETE /organizations/{id}/setup-links/{link}'),
  ...routes('DELETE /organizations/{id}/scim-tokens/{token}', 'GET /sso/oidc/{id}/callback'),
];

export const contractRoutes: readonly RouteEntry[] = [...upstreamRoutes, ...additionalRoutes];

type Reasons = Pick<RouteEntry, 'noSuccess' | 'noFailure'>;

function routes(...list: readonly (string | Reasons)[]): RouteEntry[] {
  const reasons = list.find((item) => typeof item !== 'string') ?? {};
  return list
    .filter((item) => typeof item === 'string')
    .map((text) => {
      const [method = '', path = ''] = text.split(' ');
      return { method, path, ...reasons };
    });
}

function collection(path: string): RouteEntry[] {
  return routes(`GET ${path}`, `POST ${path}`, `GET ${path}/{id}`, `PUT ${path}/{id}`, `DELETE ${path}/{id}`);
}
