/** Declares the parts of the package that the tests use, because the package doesn't include types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface Configuration {
    readonly clients: readonly object[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly features?: object;
    readonly cookies: { readonly keys: readonly string[] };
    readonly jwks: { readonly keys: readonly object[] };
    readonly pkce: { readonly required: () => boolean };
    readonly routes?: Readonly<Record<string, string>>;
    readonly ttl?: Readonly<Record<string, number>>;
    findAccount(
      ctx: unknown,
      id: string,
    ): Promise<{
      accountId: string;
      claims(use: string, scope: string): Promise<Record<string, unknown>>;
    }>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    proxy: boolean;
    callback(): RequestListener;
  }
}
