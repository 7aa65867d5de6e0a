/** Returns the project's API keys with the fields of upstream's Management API. */
import { createHash } from 'node:crypto';
import type { Keys } from '../../../../platform/keys/types.ts';

type KeyValues = Pick<Keys, 'anonKey' | 'serviceRoleKey' | 'publishableKey' | 'secretKey'>;

export interface ApiKeyFields {
  readonly id: string;
  readonly name: string;
  readonly type: 'legacy' | 'publishable' | 'secret';
  /** Null unless the caller asked to reveal the secret. */
  readonly api_key: string | null;
  readonly prefix: string;
  readonly hash: string;
  readonly description: string | null;
  readonly secret_jwt_template: { readonly role: string } | null;
}

const prefixChars = { legacy: 5, publishable: 20, secret: 14 } as const;

export function apiKeyFields(keys: KeyValues, reveals: boolean): ApiKeyFields[] {
  const entry = (
    [id, name, type]: readonly [string, string, ApiKeyFields['type']],
    value: string,
    isSecret: boolean,
    description: string | null,
  ): ApiKeyFields => ({
    id,
    name,
    type,
    api_key: isSecret && !reveals ? null : value,
    // The headers of all JWTs are nearly the same, so only the end of the key distinguishes it from other keys.
    prefix: type === 'legacy' ? value.slice(-prefixChars.legacy) : value.slice(0, prefixChars[type]),
    hash: createHash('sha256').update(value).digest('base64url'),
    description,
    secret_jwt_template: isSecret ? { role: 'service_role' } : null,
  });
  return [
    entry(['anon', 'anon', 'legacy'], keys.anonKey, false, 'Legacy anon API key'),
    entry(
      ['service_role', 'service_role', 'legacy'],
      keys.serviceRoleKey,
      true,
      'Legacy service_role API key',
    ),
    entry(['publishable', 'default', 'publishable'], keys.publishableKey, false, null),
    entry(['secret', 'default', 'secret'], keys.secretKey, true, null),
  ];
}
