/**
 * Rows of the `auth` schema as returned by the queries. Times are in PostgreSQL's ISO format.
 *
 * Glossary. *User*: an account. *Identity*: a sign-in method of an account. *Session*: a signed-in device. *Factor*: a
 * second factor. *One-time token*: the hash of a code or link that was sent. *Flow state*: a sign-in in progress that
 * uses PKCE or a provider. *AAL*: a session's assurance level. *AMR*: a session's authentication methods.
 */
import type { JsonObject } from './json.ts';

export interface UserColumns {
  id: string;
  aud: string | null;
  role: string | null;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: string | null;
  invited_at: string | null;
  confirmation_token: string | null;
  confirmation_sent_at: string | null;
  recovery_token: string | null;
  recovery_sent_at: string | null;
  email_change_token_new: string | null;
  email_change: string | null;
  email_change_sent_at: string | null;
  last_sign_in_at: string | null;
  raw_app_meta_data: JsonObject | null;
  raw_user_meta_data: JsonObject | null;
  created_at: string | null;
  updated_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  phone_change: string | null;
  phone_change_token: string | null;
  phone_change_sent_at: string | null;
  confirmed_at: string | null;
  email_change_token_current: string | null;
  email_change_confirm_status: number | null;
  banned_until: string | null;
  reauthentication_token: string | null;
  reauthentication_sent_at: string | null;
  is_sso_user: boolean;
  deleted_at: string | null;
  is_anonymous: boolean;
}

/**
 * A user with the related rows that the JSON representation includes. Code that changes the user in the database also
 * updates this object.
 */
export interface User extends UserColumns {
  identities: Identity[] | null;
  factors: Factor[];
}

export interface Identity {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: JsonObject;
  provider: string;
  last_sign_in_at: string | null;
  created_at: string | null;
  updated_at: string | null;
  email: string | null;
}

export type FactorType = 'totp' | 'phone' | 'webauthn';

export interface Factor {
  id: string;
  user_id: string;
  friendly_name: string | null;
  factor_type: FactorType;
  status: 'unverified' | 'verified';
  created_at: string;
  updated_at: string;
  secret: string | null;
  phone: string | null;
  last_challenged_at: string | null;
  web_authn_aaguid: string | null;
  last_webauthn_challenge_data: JsonObject | null;
}

/** A passkey, which is a key for signing in without a password. */
export interface Passkey {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: Buffer;
  /** The public key, encoded as COSE_Key. */
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly transports: readonly string[];
  readonly backup_eligible: boolean;
  readonly friendly_name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface AmrClaim {
  readonly authentication_method: string;
  readonly updated_at: string;
}

export interface Session {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly factor_id: string | null;
  readonly aal: string | null;
  readonly not_after: string | null;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly tag: string | null;
  readonly oauth_client_id: string | null;
  readonly refresh_token_hmac_key: string | null;
  readonly refresh_token_counter: number | null;
  readonly scopes: string | null;
  readonly amr_claims: readonly AmrClaim[];
}

export interface RefreshToken {
  readonly id: number;
  readonly token: string;
  readonly user_id: string;
  readonly parent: string | null;
  readonly session_id: string | null;
  readonly revoked: boolean | null;
  readonly updated_at: string;
}

export type OneTimeTokenType =
  | 'confirmation_token'
  | 'reauthentication_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token';

export interface FlowState {
  readonly id: string;
  readonly user_id: string | null;
  readonly auth_code: string | null;
  readonly code_challenge_method: 's256' | 'plain' | null;
  readonly code_challenge: string | null;
  readonly provider_type: string;
  readonly provider_access_token: string | null;
  readonly provider_refresh_token: string | null;
  readonly created_at: string;
  readonly authentication_method: string;
  readonly auth_code_issued_at: string | null;
  readonly invite_token: string | null;
  /** The URL to which the browser is redirected at the end of the sign-in. */
  readonly referrer: string | null;
  readonly oauth_client_state_id: string | null;
  /** The ID of the user to whom the identity will be linked. */
  readonly linking_target_id: string | null;
  readonly email_optional: boolean;
}

/** A project's custom OAuth2 or OIDC provider. */
export interface CustomProvider {
  readonly id: string;
  readonly provider_type: 'oauth2' | 'oidc';
  /** The provider's identifier, including the prefix, in the form `custom:NAME`. */
  readonly identifier: string;
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly acceptable_client_ids: readonly string[];
  readonly scopes: readonly string[];
  readonly pkce_enabled: boolean;
  readonly attribute_mapping: JsonObject;
  readonly custom_claims_allowlist: readonly string[];
  readonly authorization_params: JsonObject;
  readonly enabled: boolean;
  readonly email_optional: boolean;
  readonly issuer: string | null;
  readonly discovery_url: string | null;
  readonly skip_nonce_check: boolean;
  readonly cached_discovery: JsonObject | null;
  readonly authorization_url: string | null;
  readonly token_url: string | null;
  readonly userinfo_url: string | null;
  readonly jwks_uri: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MfaChallenge {
  readonly id: string;
  readonly factor_id: string;
  readonly created_at: string;
  readonly verified_at: string | null;
  readonly ip_address: string;
  readonly otp_code: string | null;
  readonly web_authn_session_data: JsonObject | null;
}

export interface OAuthClient {
  readonly id: string;
  readonly client_secret_hash: string | null;
  readonly registration_type: 'manual' | 'dynamic';
  readonly redirect_uris: string;
  readonly grant_types: string;
  readonly client_name: string | null;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly client_type: 'public' | 'confidential';
  readonly token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

export interface OAuthAuthorization {
  readonly id: string;
  readonly authorization_id: string;
  readonly client_id: string;
  readonly user_id: string | null;
  readonly redirect_uri: string;
  readonly scope: string;
  readonly state: string | null;
  readonly resource: string | null;
  readonly code_challenge: string | null;
  readonly code_challenge_method: 's256' | 'plain' | null;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired';
  readonly authorization_code: string | null;
  readonly expires_at: string;
  readonly nonce: string | null;
}

export interface OAuthConsent {
  readonly id: string;
  readonly client_id: string;
  readonly scopes: string;
  readonly granted_at: string;
}

export interface AuditLogEntry {
  readonly id: string;
  readonly payload: JsonObject;
  readonly created_at: string;
  readonly ip_address: string;
}
