/**
 * Maps violated constraints of the tables in `auth` to errors for clients. Most violations result from two concurrent
 * requests, because the use cases check the same conditions first. The text of such an error from PostgreSQL contains
 * values of another account's row, so clients must not receive it.
 */
import { isPostgresError } from '../../../base/shared/errors.ts';
import { type AuthError, authError, type ErrorCode } from '../errors.ts';

/** The errors for duplicate keys, by constraint or unique index. */
const duplicates: Readonly<Record<string, ErrorCode>> = {
  users_pkey: 'user_already_exists',
  users_email_partial_key: 'email_exists',
  users_phone_key: 'phone_exists',
  identities_provider_id_provider_unique: 'identity_already_exists',
  mfa_factors_user_friendly_name_unique: 'mfa_factor_name_conflict',
  unique_phone_factor_per_user: 'mfa_verified_factor_exists',
  webauthn_credentials_credential_id_key: 'webauthn_credential_exists',
  saml_providers_entity_id_key: 'saml_idp_already_exists',
  sso_domains_domain_idx: 'sso_domain_already_exists',
};

/** The errors for references to rows that a concurrent request has deleted, by the referencing column. */
const missing: readonly (readonly [column: string, code: ErrorCode])[] = [
  ['user_id', 'user_not_found'],
  ['session_id', 'session_not_found'],
  ['auth_factor_id', 'mfa_factor_not_found'],
  ['client_id', 'oauth_client_not_found'],
  ['sso_provider_id', 'sso_provider_not_found'],
  ['flow_state_id', 'flow_state_not_found'],
];

/** Returns the error for a violated constraint of a table in `auth`, or undefined if the cause is something else. */
export function constraintError(cause: unknown): AuthError | undefined {
  if (!isPostgresError(cause)) {
    return cause instanceof Error ? constraintError(cause.cause) : undefined;
  }
  const { code, schema, constraint = '' } = cause;
  if (schema !== 'auth') return undefined;
  switch (code) {
    case '23505':
      return authError(duplicates[constraint] ?? 'conflict', undefined, { cause });
    case '23503': {
      const column = missing.find(([name]) => constraint.endsWith(`_${name}_fkey`));
      return authError(column?.[1] ?? 'conflict', undefined, { cause });
    }
    case '23514':
      return authError('validation_failed', 'A value in the request has an invalid length or format', {
        cause,
      });
    default:
      return undefined;
  }
}
