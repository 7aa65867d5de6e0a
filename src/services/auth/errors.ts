/**
 * Lists the error codes of the auth service (GoTrue 2.196), with the default status and message of each. Routes can
 * replace the default message with a more specific message. Clients distinguish errors by the error code.
 */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
}

export const errorTable = {
  // General errors.
  unknown: { status: 400, message: 'Unknown error' },
  unexpected_failure: {
    status: 500,
    message: 'Unexpected failure, please check server logs for more information',
  },
  validation_failed: { status: 400, message: 'The request is not valid' },
  bad_json: { status: 400, message: 'Could not parse request body as JSON' },
  conflict: { status: 409, message: 'Another request is changing the same data, please retry' },
  request_timeout: {
    status: 504,
    message: 'Processing this request timed out, please retry after a moment.',
  },
  request_entity_too_large: { status: 413, message: 'Request body too large (max 1048576 bytes)' },
  feature_disabled: { status: 404, message: 'This feature is disabled' },
  // Errors for tokens and users.
  bad_jwt: { status: 403, message: 'Invalid token' },
  not_admin: { status: 403, message: 'User not allowed' },
  no_authorization: { status: 401, message: 'This endpoint requires a valid Bearer token' },
  user_not_found: { status: 404, message: 'User not found' },
  user_banned: { status: 400, message: 'User is banned' },
  session_not_found: { status: 403, message: 'Session from session_id claim in JWT does not exist' },
  session_expired: { status: 400, message: 'Invalid Refresh Token: Session Expired' },
  refresh_token_not_found: { status: 400, message: 'Invalid Refresh Token: Refresh Token Not Found' },
  refresh_token_already_used: { status: 400, message: 'Invalid Refresh Token: Already Used' },
  unexpected_audience: { status: 403, message: "Token audience doesn't match request audience" },
  device_not_confirmed: {
    status: 403,
    message: 'This device is new. Sign in with the code that was sent to your email address',
  },
  invalid_credentials: { status: 400, message: 'Invalid login credentials' },
  insufficient_aal: { status: 403, message: 'AAL2 required to enroll a new factor' },
  // Errors for sign-up, email addresses and phone numbers.
  signup_disabled: { status: 422, message: 'Signups not allowed for this instance' },
  user_already_exists: { status: 422, message: 'User already registered' },
  email_exists: { status: 422, message: 'A user with this email address has already been registered' },
  phone_exists: { status: 422, message: 'A user with this phone number has already been registered' },
  email_provider_disabled: { status: 400, message: 'Email logins are disabled' },
  phone_provider_disabled: { status: 400, message: 'Phone logins are disabled' },
  anonymous_provider_disabled: { status: 422, message: 'Anonymous sign-ins are disabled' },
  email_not_confirmed: { status: 400, message: 'Email not confirmed' },
  phone_not_confirmed: { status: 400, message: 'Phone not confirmed' },
  email_address_not_authorized: {
    status: 400,
    message: 'This email address cannot be used as it is not authorized',
  },
  email_address_invalid: { status: 400, message: 'This email address is invalid' },
  email_address_not_provided: { status: 400, message: 'The provider did not give an email address' },
  invite_not_found: { status: 404, message: 'Invite not found' },
  otp_expired: { status: 403, message: 'Token has expired or is invalid' },
  otp_disabled: { status: 422, message: 'Signups not allowed for otp' },
  sms_send_failed: { status: 422, message: 'Error sending the code' },
  // Errors for passwords.
  weak_password: { status: 422, message: 'Password is too weak' },
  same_password: { status: 422, message: 'New password should be different from the old password.' },
  reauthentication_needed: { status: 400, message: 'Password update requires reauthentication' },
  reauthentication_not_valid: { status: 422, message: 'Nonce has expired or is invalid' },
  current_password_invalid: { status: 400, message: 'Current password required when setting new password.' },
  current_password_required: { status: 400, message: 'Current password required when setting new password.' },
  // Errors for rate limits.
  over_request_rate_limit: { status: 429, message: 'Request rate limit reached' },
  over_email_send_rate_limit: { status: 429, message: 'email rate limit exceeded' },
  over_sms_send_rate_limit: { status: 429, message: 'SMS rate limit exceeded' },
  captcha_failed: { status: 400, message: 'captcha protection: request disallowed' },
  // Errors for sign-in with OAuth and PKCE.
  flow_state_not_found: { status: 404, message: 'invalid flow state, no valid flow state found' },
  flow_state_expired: { status: 422, message: 'invalid flow state, flow state has expired' },
  flow_state_already_used: { status: 400, message: 'invalid flow state, it was used before' },
  oauth_client_state_not_found: { status: 404, message: 'OAuth state not found' },
  oauth_client_state_expired: { status: 400, message: 'OAuth state has expired' },
  oauth_invalid_state: { status: 400, message: 'OAuth state is not valid' },
  bad_oauth_state: { status: 400, message: 'OAuth state is not valid' },
  bad_oauth_callback: { status: 400, message: 'OAuth callback is not valid' },
  bad_code_verifier: { status: 400, message: 'code challenge does not match previously saved code verifier' },
  oauth_provider_not_supported: { status: 400, message: 'This OAuth provider is not supported' },
  provider_disabled: { status: 400, message: 'This provider is disabled' },
  provider_email_needs_verification: {
    status: 422,
    message: 'The email address needs to be confirmed first',
  },
  web3_provider_disabled: { status: 422, message: 'Web3 provider is disabled' },
  web3_unsupported_chain: { status: 400, message: 'Unsupported chain' },
  custom_provider_not_found: { status: 404, message: 'Custom provider not found' },
  over_custom_provider_quota: { status: 400, message: 'Too many custom providers' },
  // Errors for identities.
  identity_not_found: { status: 422, message: "Identity doesn't exist" },
  identity_already_exists: { status: 422, message: 'Identity is already linked' },
  single_identity_not_deletable: {
    status: 422,
    message: 'User must have at least 1 identity after unlinking',
  },
  email_conflict_identity_not_deletable: {
    status: 422,
    message: 'Unable to unlink identity due to email conflict',
  },
  manual_linking_disabled: { status: 404, message: 'Manual linking is disabled' },
  // Errors for single sign-on.
  user_sso_managed: {
    status: 422,
    message: 'Updating email, phone, password of a SSO account only possible via SSO',
  },
  // Not in upstream.
  sso_required: {
    status: 422,
    message: 'This email domain requires single sign-on. Sign in with SSO instead.',
  },
  // Not in upstream.
  sso_not_allowed: {
    status: 403,
    message: 'The identity provider is not allowed to sign in this user',
  },
  sso_provider_not_found: { status: 404, message: 'No SSO provider assigned for this domain' },
  sso_provider_disabled: { status: 404, message: 'SSO Provider is currently disabled' },
  sso_domain_already_exists: {
    status: 400,
    message: 'SSO domain is already assigned to an SSO identity provider',
  },
  saml_provider_disabled: { status: 404, message: 'SAML 2.0 is disabled' },
  saml_relay_state_not_found: {
    status: 404,
    message: 'SAML RelayState does not exist, try logging in again?',
  },
  saml_relay_state_expired: { status: 422, message: 'SAML RelayState has expired. Try logging in again?' },
  saml_idp_not_found: {
    status: 404,
    message: 'A SAML connection has not been established with this Identity Provider',
  },
  saml_idp_already_exists: {
    status: 422,
    message: 'SAML Identity Provider with this EntityID already exists',
  },
  saml_assertion_no_user_id: {
    status: 400,
    message:
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
  },
  saml_assertion_no_email: { status: 400, message: 'SAML Assertion does not contain an email address' },
  saml_metadata_fetch_failed: { status: 400, message: 'Could not fetch the SAML metadata' },
  saml_entity_id_mismatch: { status: 400, message: 'SAML metadata has a different EntityID' },
  // Errors for second factors (MFA).
  too_many_enrolled_mfa_factors: {
    status: 422,
    message: 'Maximum number of verified factors reached, unenroll to continue',
  },
  mfa_factor_name_conflict: { status: 422, message: 'A factor with this friendly name already exists' },
  mfa_factor_not_found: { status: 404, message: 'Factor not found' },
  mfa_ip_address_mismatch: { status: 422, message: 'Challenge and verify IP addresses mismatch.' },
  mfa_challenge_expired: { status: 422, message: 'MFA challenge has expired' },
  mfa_verification_failed: { status: 422, message: 'Invalid TOTP code entered' },
  mfa_verification_rejected: { status: 403, message: 'Further MFA verification attempts will be rejected.' },
  mfa_verified_factor_exists: {
    status: 422,
    message: 'A verified phone factor already exists, unenroll the existing factor to continue',
  },
  mfa_phone_enroll_not_enabled: { status: 422, message: 'MFA enroll is disabled for Phone' },
  mfa_phone_verify_not_enabled: { status: 422, message: 'MFA verification is disabled for Phone' },
  mfa_totp_enroll_not_enabled: { status: 422, message: 'MFA enroll is disabled for TOTP' },
  mfa_totp_verify_not_enabled: { status: 422, message: 'MFA verification is disabled for TOTP' },
  mfa_webauthn_enroll_not_enabled: { status: 422, message: 'MFA enroll is disabled for WebAuthn' },
  mfa_webauthn_verify_not_enabled: { status: 422, message: 'MFA verification is disabled for WebAuthn' },
  // Errors for passkeys.
  passkey_disabled: { status: 404, message: 'Passkeys are disabled' },
  too_many_passkeys: { status: 422, message: 'Maximum number of passkeys reached' },
  webauthn_credential_not_found: { status: 404, message: 'Passkey not found' },
  webauthn_credential_exists: { status: 422, message: 'This credential is already registered' },
  webauthn_challenge_not_found: { status: 400, message: 'Challenge not found or already used' },
  webauthn_challenge_expired: { status: 400, message: 'Challenge has expired' },
  webauthn_verification_failed: { status: 400, message: 'Credential verification failed' },
  // Errors of the OAuth server.
  oauth_client_not_found: { status: 404, message: 'OAuth client not found' },
  oauth_authorization_not_found: { status: 404, message: 'OAuth authorization not found' },
  oauth_consent_not_found: { status: 404, message: 'OAuth consent not found' },
  oauth_dynamic_client_registration_disabled: {
    status: 403,
    message: 'Dynamic client registration is not enabled',
  },
  // Errors for hooks.
  hook_timeout: { status: 422, message: 'Failed to reach hook within maximum time of 5.000000 seconds' },
  hook_timeout_after_retry: { status: 422, message: 'Failed to reach hook after maximum retries' },
  hook_payload_over_size_limit: { status: 422, message: 'Payload size exceeded size limit of 204800 bytes' },
  hook_payload_invalid_content_type: { status: 400, message: 'Invalid Content-Type header' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

export type WeakPasswordReason = 'length' | 'characters' | 'pwned';

/** An error that has a code from the table. The client receives the code and the message. `cause` is only logged. */
export class AuthError extends Error {
  /**
   * The code, or undefined for errors that hooks define. These errors are rendered as `unknown` or
   * `unexpected_failure`.
   */
  readonly code: ErrorCode | undefined;
  readonly status: number;
  readonly weakPasswordReasons: readonly WeakPasswordReason[] | undefined;
  /** The value of the `Retry-After` header. Only errors from rate limits have this value. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode | undefined,
    options: {
      readonly message?: string;
      readonly status?: number;
      readonly cause?: unknown;
      readonly weakPasswordReasons?: readonly WeakPasswordReason[];
      readonly retryAfterMs?: number;
    } = {},
  ) {
    const entry = code === undefined ? errorTable.unexpected_failure : errorTable[code];
    super(
      options.message ?? entry.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AuthError';
    this.code = code;
    this.status = options.status ?? entry.status;
    this.weakPasswordReasons = options.weakPasswordReasons;
    this.retryAfterSeconds =
      options.retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfterMs / 1000));
  }
}

/**
 * Creates an {@link AuthError}. `message` replaces the message in the table.
 *
 * @example throw authError('validation_failed', 'missing email or phone');
 */
export function authError(
  code: ErrorCode,
  message?: string,
  options: { status?: number; cause?: unknown; retryAfterMs?: number } = {},
): AuthError {
  return new AuthError(code, message === undefined ? options : { ...options, message });
}

/** Creates an error with status 500. The message of the error names the step that failed. The cause is only logged. */
export function internalError(message: string, cause?: unknown): AuthError {
  return new AuthError('unexpected_failure', cause === undefined ? { message } : { message, cause });
}

/**
 * An error of the token endpoint, in the format of RFC 6749. The status is always 400 and the body is
 * `{error, error_description}`.
 */
export class OAuthShapedError extends Error {
  readonly error: string;
  readonly description: string;
  readonly status: number;

  constructor(
    error: string,
    description: string,
    { status = 400, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(`${error}: ${description}`, cause === undefined ? undefined : { cause });
    this.name = 'OAuthShapedError';
    this.error = error;
    this.description = description;
    this.status = status;
  }
}
