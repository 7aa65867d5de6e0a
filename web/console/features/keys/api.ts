/** Calls about keys. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: 'publishable' | 'secret';
  readonly hint: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly lastUsedAt: string | null;
}

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: 'in use' | 'standby' | 'previous' | 'secret';
  readonly lastUsedAt: string | null;
  readonly uses: number;
  readonly subjects: readonly string[];
}

export interface Keys {
  readonly publishableKey: string;
  readonly anonKey: string;
  readonly secretKeyHint: string;
  readonly isWellKnown: boolean;
  readonly apiKeys: readonly ApiKey[];
  readonly signing: readonly SigningKey[];
  readonly signingFile: boolean;
  readonly jwtExpirySeconds: number;
}

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => callConsole<Keys>('/keys', { signal }),
});

export type SecretName = 'secret' | 'service_role' | 'jwt_secret';

export const reveal = async (name: SecretName): Promise<string> =>
  (await callConsole<{ value: string }>('/keys/reveal', { method: 'POST', body: { name } })).value;
