/** Defines all keys of the project (API keys, the JWT secret, signing keys) and the shared token verifier. */

import type { SamlKeys } from './saml-keys.ts';

export type { SamlKeys } from './saml-keys.ts';

export type Claims = Record<string, unknown>;

/** The roles of publishable and secret keys. */
export type ApiKeyRole = 'anon' | 'service_role';

/**
 * The purpose of a token. `access` is a caller's credential (a session, an API key, or a token that the project
 * creates). `id` is an OpenID Connect ID token for a client. `signed-url` grants access to one storage object. `other`
 * is a token whose `typ` is for any other purpose.
 */
export type TokenKind = 'access' | 'id' | 'signed-url' | 'other';

/**
 * The reason why a token was rejected. The verifier doesn't check expiry or other claims, because each service checks
 * them.
 */
export type TokenFault =
  /** The token isn't a JWT. `parts` is the number of dot-separated parts in the text. */
  | { readonly reason: 'malformed'; readonly parts: number }
  /** The header's `alg` is missing, `none` or unknown. */
  | { readonly reason: 'algorithm'; readonly algorithm: string | undefined }
  /** No key matches this `kid` or `alg`. */
  | { readonly reason: 'no-key'; readonly algorithm: string; readonly kid: string | undefined }
  | { readonly reason: 'signature'; readonly algorithm: string; readonly kid: string | undefined }
  /** This project signed the token for a purpose other than access (`kindOfToken`). */
  | { readonly reason: 'kind'; readonly algorithm: string; readonly kind: TokenKind };

export type VerifiedToken =
  | {
      readonly ok: true;
      readonly claims: Readonly<Claims>;
      readonly header: Readonly<{ alg: string; kid?: string; typ?: string }>;
      /** The original JSON text of the claims. */
      readonly claimsJson: string;
      /** True if one of this project's keys signed the token, false if a third-party issuer's key did. */
      readonly isOwn: boolean;
    }
  | ({ readonly ok: false } & TokenFault);

export interface JsonWebKeySet {
  readonly keys: readonly Record<string, unknown>[];
}

export interface Keys {
  /**
   * The legacy JWT key for the role anon. If a signing keys file exists, the legacy JWT keys are signed with the
   * current signing key and change when this key is rotated.
   */
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** The default publishable key, which can change while the server runs. */
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Calls the listener in this process after a default `sb_` key has changed. */
  onDefaultKeyChange(listener: () => void): void;
  /**
   * Returns a number that changes when a token or an API key may have become invalid. Other processes' changes are
   * detected within a second.
   */
  generation(): number;
  /** Returns the kind of an additional `sb_` key (`api-keys.ts`), or undefined if the key is unknown. */
  kindOfApiKey(key: string): 'publishable' | 'secret' | undefined;
  readonly jwtSecret: string;
  readonly s3: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly region: string;
    /** Whether this is the well-known key pair that every local stack uses. */
    readonly isWellKnown: boolean;
  };
  /**
   * Verifies a token's signature and kind synchronously. Verified tokens are cached, up to a limit. Only access tokens
   * are accepted. Callers must check `exp`, `nbf`, `aud` and similar claims on each call, whether or not the token was
   * cached.
   */
  verify(token: string): VerifiedToken;
  /**
   * Verifies a token like {@link verify}, but accepts only tokens signed by this project, not by a third-party issuer.
   */
  verifyOwn(token: string): VerifiedToken;
  /** Verifies a token like {@link verifyOwn}, but accepts only ID tokens. */
  verifyIdToken(token: string): VerifiedToken;
  /** Verifies a token like {@link verifyOwn}, but accepts only tokens from signed storage URLs. */
  verifySignedUrl(token: string): VerifiedToken;
  /**
   * Waits until the third-party issuer's keys are available if they are needed to verify the bearer token in this
   * `Authorization` header. Returns undefined if the keys are already available. Never rejects.
   */
  prepare(authorization: string | undefined): Promise<void> | undefined;
  /**
   * Returns the JWS name of the current signing key's algorithm. Returns `HS256` if the JWT secret is used for signing.
   */
  signingAlgorithm(): string;
  /** Signs with the current signing key (header `alg`, `kid?`, `typ`). `typ` defaults to `JWT`. */
  sign(claims: Claims, typ?: string): string;
  /**
   * Returns a token for the role of an API key, which is valid for at least this many seconds. It is signed like the
   * legacy JWT keys.
   */
  temporaryToken(role: ApiKeyRole, validSeconds: number): string;
  /**
   * Signs with HS256 and the JWT secret. Used for the tokens in storage's signed URLs, because only the storage service
   * reads these tokens.
   */
  signWithSecret(claims: Claims): string;
  /** Returns the public keys that verify this project's tokens. The result never contains an `oct` key. */
  publicJwks(): JsonWebKeySet;
  /** Returns this project's keys for SAML identity providers. */
  samlKeys(): Promise<SamlKeys>;
  /**
   * Returns the keys for Plinth's own services (REST, and `SUPABASE_JWKS` in functions). Includes the `oct` secret if
   * the project still accepts tokens that were signed with it.
   */
  internalJwks(): JsonWebKeySet;
}
