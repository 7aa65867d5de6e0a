/** Every key of the project in one place: API keys, the JWT secret, signing keys; and the one verifier of tokens. */

import type { SamlKeys } from './saml-keys.ts';

export type { SamlKeys } from './saml-keys.ts';

export type Claims = Record<string, unknown>;

/**
 * `access`: a caller's credential (sessions, API keys, tokens that the project mints itself). `id`: an OpenID Connect ID
 * token, for the client to read. `signed-url`: one object in storage. `other`: a `typ` for a different purpose.
 */
export type TokenKind = 'access' | 'id' | 'signed-url' | 'other';

/** Why a token was not accepted. Expiry and other claims are judged by each service, not here. */
export type TokenFault =
  /** Not three base64url parts with JSON objects in the first two. */
  | { readonly reason: 'malformed'; readonly parts: number }
  /** `alg` is missing, `none`, or not one we know. */
  | { readonly reason: 'algorithm'; readonly algorithm: string | undefined }
  /** No key for this `kid` or `alg`. */
  | { readonly reason: 'no-key'; readonly algorithm: string; readonly kid: string | undefined }
  | { readonly reason: 'signature'; readonly algorithm: string; readonly kid: string | undefined }
  /** This project signed it for another purpose (`token-kind.ts`). */
  | { readonly reason: 'kind'; readonly algorithm: string; readonly kind: TokenKind };

export type VerifiedToken =
  | {
      readonly ok: true;
      readonly claims: Readonly<Claims>;
      readonly header: Readonly<{ alg: string; kid?: string; typ?: string }>;
      /** The claims' own JSON text as it stood in the token. */
      readonly claimsJson: string;
      /** True when a key of this project signed it; false for a third-party issuer's. */
      readonly isOwn: boolean;
    }
  | ({ readonly ok: false } & TokenFault);

export interface JsonWebKeySet {
  readonly keys: readonly Record<string, unknown>[];
}

export interface Keys {
  /** Legacy JWT keys and the `sb_` keys; S3 pair. With a signing keys file the JWT keys change with the key in use. */
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** What a further `sb_` key stands for (`api-keys.ts`); undefined: there is none such. */
  kindOfApiKey(key: string): 'publishable' | 'secret' | undefined;
  readonly jwtSecret: string;
  readonly s3: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly region: string;
    /** It is the pair of every local stack. */
    readonly isWellKnown: boolean;
  };
  /**
   * Checks signature and kind, synchronously, with a bounded cache of verified tokens by their whole text. Only access
   * tokens pass. Callers judge `exp`, `nbf`, `aud` … at every call, cached or not.
   */
  verify(token: string): VerifiedToken;
  /** As {@link verify}, without the tokens of a third-party issuer: what this project signed itself. */
  verifyOwn(token: string): VerifiedToken;
  /** As {@link verifyOwn}, for the tokens of signed storage URLs and no others. */
  verifySignedUrl(token: string): VerifiedToken;
  /**
   * Waits for the keys of a third-party issuer that the bearer token of this `Authorization` needs. Undefined when
   * there is nothing to wait for; never rejects.
   */
  prepare(authorization: string | undefined): Promise<void> | undefined;
  /** JWS name of the algorithm of the current signing key; `HS256` when the JWT secret signs. */
  signingAlgorithm(): string;
  /** Signs with the current signing key (header `alg`, `kid?`, `typ`). */
  sign(claims: Claims): string;
  /** HS256 with the JWT secret, for tokens that are internal to a service (storage's signed URLs). */
  signWithSecret(claims: Claims): string;
  /** Never holds an `oct` key. */
  publicJwks(): JsonWebKeySet;
  /** Of this project towards SAML identity providers. */
  samlKeys(): Promise<SamlKeys>;
  /** With the `oct` secret where the project still accepts it (REST, functions' SUPABASE_JWKS). */
  internalJwks(): JsonWebKeySet;
}
