/** All keys of the project (API keys, the JWT secret, signing keys) and the shared token verifier. */

import type { SamlKeys } from './saml-keys.ts';

export type { SamlKeys } from './saml-keys.ts';

export type Claims = Record<string, unknown>;

/**
 * `access`: a caller's credential (sessions, API keys, tokens that the project creates). `id`: an OpenID Connect ID
 * token for a client. `signed-url`: access to one storage object. `other`: a `typ` for a different purpose.
 */
export type TokenKind = 'access' | 'id' | 'signed-url' | 'other';

/** The reason why a token was rejected. Expiry and other claims are checked by each service instead. */
export type TokenFault =
  /** The token isn't three base64url parts with JSON objects in the first two. */
  | { readonly reason: 'malformed'; readonly parts: number }
  /** `alg` is missing, `none` or unknown. */
  | { readonly reason: 'algorithm'; readonly algorithm: string | undefined }
  /** There is no key for this `kid` or `alg`. */
  | { readonly reason: 'no-key'; readonly algorithm: string; readonly kid: string | undefined }
  | { readonly reason: 'signature'; readonly algorithm: string; readonly kid: string | undefined }
  /** This project signed the token for a different purpose (`token-kind.ts`). */
  | { readonly reason: 'kind'; readonly algorithm: string; readonly kind: TokenKind };

export type VerifiedToken =
  | {
      readonly ok: true;
      readonly claims: Readonly<Claims>;
      readonly header: Readonly<{ alg: string; kid?: string; typ?: string }>;
      /** The original JSON text of the claims. */
      readonly claimsJson: string;
      /** True if a key of this project signed the token, false for a third-party issuer's key. */
      readonly isOwn: boolean;
    }
  | ({ readonly ok: false } & TokenFault);

export interface JsonWebKeySet {
  readonly keys: readonly Record<string, unknown>[];
}

export interface Keys {
  /**
   * Legacy JWT keys, `sb_` keys and the S3 key pair. With a signing keys file, the JWT keys change with the key in use.
   */
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Returns the kind of an additional `sb_` key (`api-keys.ts`), or undefined if it is unknown. */
  kindOfApiKey(key: string): 'publishable' | 'secret' | undefined;
  readonly jwtSecret: string;
  readonly s3: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly region: string;
    /** Whether this is the key pair of every local stack. */
    readonly isWellKnown: boolean;
  };
  /**
   * Checks signature and kind synchronously, with a bounded cache of verified tokens. Only access tokens are accepted.
   * Callers must check `exp`, `nbf`, `aud` and so on at each call, whether or not the token was cached.
   */
  verify(token: string): VerifiedToken;
  /** Like {@link verify}, but only accepts tokens that this project signed, not those of a third-party issuer. */
  verifyOwn(token: string): VerifiedToken;
  /** Like {@link verifyOwn}, but only accepts tokens of signed storage URLs. */
  verifySignedUrl(token: string): VerifiedToken;
  /**
   * Waits for the third-party issuer's keys that the bearer token in this `Authorization` header needs. Returns
   * undefined if the keys are available. Never rejects.
   */
  prepare(authorization: string | undefined): Promise<void> | undefined;
  /** Returns the JWS name of the current signing key's algorithm, or `HS256` if the JWT secret signs. */
  signingAlgorithm(): string;
  /** Signs with the current signing key (header `alg`, `kid?`, `typ`). */
  sign(claims: Claims): string;
  /** Signs with HS256 and the JWT secret, for tokens that only one service uses (storage's signed URLs). */
  signWithSecret(claims: Claims): string;
  /** Never contains an `oct` key. */
  publicJwks(): JsonWebKeySet;
  /** Returns this project's keys for SAML identity providers. */
  samlKeys(): Promise<SamlKeys>;
  /** Includes the `oct` secret if the project still accepts it (REST, functions' SUPABASE_JWKS). */
  internalJwks(): JsonWebKeySet;
}
