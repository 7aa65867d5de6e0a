/** Builds the OAuth server's metadata. OpenID Connect Discovery and RFC 8414 use the same document. */
import type { JsonObject } from '../common/json.ts';
import { supportedScopes } from './scopes.ts';

/** The algorithms that upstream lists, regardless of the current signing key. */
const namedAlgorithms = ['RS256', 'HS256', 'ES256'];

export function discoveryDocument(facts: {
  readonly issuer: string;
  readonly allowsRegistration: boolean;
  /** Whether users can sign out on the Account pages. */
  readonly hasLogout: boolean;
  /** The algorithm of the current signing key. */
  readonly algorithm: string;
}): JsonObject {
  const base = facts.issuer.replace(/\/+$/, '');
  return {
    issuer: facts.issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    ...(facts.allowsRegistration ? { registration_endpoint: `${base}/oauth/clients/register` } : {}),
    scopes_supported: [...supportedScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set([...namedAlgorithms, facts.algorithm])],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
    // RFC 9207 defines this member. Upstream doesn't support RFC 9207.
    authorization_response_iss_parameter_supported: true,
    // OpenID Connect RP-Initiated, Back-Channel and Front-Channel Logout define these members. Upstream doesn't support
    // these specifications.
    ...(facts.hasLogout
      ? {
          end_session_endpoint: `${base}/oauth/logout`,
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          frontchannel_logout_supported: true,
          frontchannel_logout_session_supported: true,
        }
      : {}),
  };
}
