import { z } from 'zod';
import type { ApiKeyEntry, DefaultKeySource } from '../../../platform/keys/index.ts';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const reveal = z.object({
  name: z.enum(['publishable', 'secret', 'anon', 'service_role', 'jwt_secret']),
});
const newApiKey = z.object({
  kind: z.enum(['publishable', 'secret']),
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{C}]+$/u, "isn't a valid name"),
});
const defaultKey = z.object({ kind: z.enum(['publishable', 'secret']) });
const standby = z.object({ algorithm: z.enum(['ES256', 'RS256', 'EdDSA', 'HS256']).default('ES256') });
const rotation = z.object({ kid: z.string().max(200).optional() });

export type { ApiKeyEntry };
export type ApiKey = ApiKeyEntry & { readonly lastUsedAt: string | null };

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  /** The key's state. `secret` is the JWT secret with which older tokens were signed. */
  readonly state: 'in use' | 'standby' | 'previous' | 'secret';
  /** When a request last used a token signed with this key. Only requests since the server started are considered. */
  readonly lastUsedAt: string | null;
  readonly uses: number;
  readonly subjects: readonly string[];
}

export interface SigningKeys {
  readonly signing: readonly SigningKey[];
}

export interface KeysOverview extends SigningKeys {
  readonly publishableKey: string;
  readonly anonKey: string;
  /** The beginning of the secret key, which is enough to tell the keys apart. */
  readonly secretKeyHint: string;
  readonly isWellKnown: boolean;
  /** Where the default keys are defined. Plinth can rotate only keys that it generated. */
  readonly defaultKeys: { readonly [kind in ApiKeyEntry['kind']]: DefaultKeySource };
  readonly apiKeys: readonly ApiKey[];
  /** Whether the project has a file with signing keys. */
  readonly signingFile: boolean;
  /** Whether a rotation also changes at least one legacy key (anon, service_role). */
  readonly areLegacyKeysRotated: boolean;
  readonly jwtExpirySeconds: number;
}

/** A newly created key. The complete key is included only in this response. */
export interface CreatedApiKey {
  readonly entry: ApiKeyEntry;
  readonly key: string;
}

/** A new default key, and the previous default key, which is now an additional key. */
export interface RotatedApiKey {
  readonly key: string;
  readonly previous: ApiKeyEntry;
}

export const contract = {
  'GET /keys': { response: json<KeysOverview>() },
  'POST /keys/reveal': { body: reveal, response: json<{ readonly value: string }>() },
  'POST /keys/api': { body: newApiKey, response: json<CreatedApiKey>() },
  'POST /keys/default/rotate': { body: defaultKey, response: json<RotatedApiKey>() },
  'DELETE /keys/api/:id': { response: noContent },
  'POST /keys/signing': { body: standby, response: json<SigningKeys>() },
  'POST /keys/signing/rotate': { body: rotation, response: json<SigningKeys>() },
  'DELETE /keys/signing/:kid': { response: json<SigningKeys>() },
} as const satisfies RouteTable;
