/** Issues the JWTs for the roles of API keys: the legacy keys, and the tokens that replace keys in requests. */
import type { Config } from '../config/index.ts';
import { demo } from './default-keys.ts';
import type { KeyRing } from './key-ring.ts';
import type { ApiKeyRole, Keys } from './types.ts';

const tenYearsSeconds = 10 * 365 * 24 * 3600;

export function createRoleTokens(
  auth: Config['auth'],
  ring: KeyRing,
  { sign, signWithSecret }: Pick<Keys, 'sign' | 'signWithSecret'>,
) {
  // As in the local stack, the API keys are signed with the signing key from the configured file and are valid for ten
  // years. Without such a file, the API keys are signed with the JWT secret and expire at the same time as the demo keys.
  const usesSecret = (): boolean =>
    auth.signing_keys_path === undefined || ring.current().signer === undefined;
  const signFor = (role: ApiKeyRole, exp: number): string => {
    const claims = { iss: demo.keyIssuer, role, exp };
    return usesSecret() ? signWithSecret(claims) : sign(claims);
  };
  const legacyKey = (role: ApiKeyRole): string =>
    signFor(role, usesSecret() ? demo.keyExpiresAt : Math.floor(Date.now() / 1000) + tenYearsSeconds);
  const temporary = createTemporaryTokens(signFor, Date.now);
  let legacy: { readonly anon: string; readonly serviceRole: string } | undefined;
  return {
    legacyKeys() {
      // Detects changed keys, for which `forget` is called.
      ring.current();
      legacy ??= {
        anon: auth.anon_key ?? legacyKey('anon'),
        serviceRole: auth.service_role_key ?? legacyKey('service_role'),
      };
      return legacy;
    },
    temporary(role: ApiKeyRole, validSeconds: number): string {
      ring.current();
      return temporary.tokenFor(role, validSeconds);
    },
    forget() {
      legacy = undefined;
      temporary.forget();
    },
  };
}

const reuseSeconds = 30;

interface TemporaryTokens {
  /** Returns a token for the role that is valid for at least this many seconds. */
  tokenFor(role: ApiKeyRole, validSeconds: number): string;
  /** Discards the issued tokens, for example because the signing key has changed. */
  forget(): void;
}

/**
 * Issues the tokens that replace API keys in requests. A token is valid only for minutes, because the project's SQL and
 * functions can read it. Each token is reused for a short time, so that requests rarely wait for a signature.
 */
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
