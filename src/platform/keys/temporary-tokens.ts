/**
 * Issues the tokens that replace API keys in requests. A token is valid only for minutes, because the project's SQL and
 * functions can read it. Each token is reused for a short time, so that requests rarely wait for a signature.
 */
import type { ApiKeyRole } from './types.ts';

const reuseSeconds = 30;

export interface TemporaryTokens {
  /** Returns a token for the role that is valid for at least this many seconds. */
  tokenFor(role: ApiKeyRole, validSeconds: number): string;
  /** Discards the issued tokens, for example because the signing key has changed. */
  forget(): void;
}

export function createTemporaryTokens(
  sign: (role: ApiKeyRole, expiresAtSeconds: number) => string,
  nowMs: () => number,
): TemporaryTokens {
  const issued = new Map<string, { readonly token: string; readonly exp: number }>();
  return {
    tokenFor(role, validSeconds) {
      const now = Math.floor(nowMs() / 1000);
      const name = `${role} ${validSeconds}`;
      const known = issued.get(name);
      const leftSeconds = known === undefined ? 0 : known.exp - now;
      // More time is left than the token's lifetime if the clock was set back.
      if (known !== undefined && leftSeconds >= validSeconds && leftSeconds <= validSeconds + reuseSeconds)
        return known.token;
      const exp = now + validSeconds + reuseSeconds;
      const token = sign(role, exp);
      issued.set(name, { token, exp });
      return token;
    },
    forget: () => issued.clear(),
  };
}
