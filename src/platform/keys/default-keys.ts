/**
 * Provides the default publishable key and secret key. If the setting for a default key has a value, the server uses
 * this value as the key. Otherwise, production uses the generated key in `.plinth/secrets.json`, which can be rotated
 * while servers run, and development uses the well-known key.
 *
 * A rotation writes two files, and every key that an app may have is valid after each write. First, the old key is
 * added to the additional keys. Then, the new key replaces it as the default key.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Logger } from '../../base/kernel/log.ts';
import { fileStamp, replaceFile } from '../../base/kernel/replace-file.ts';
import { type ApiKeyEntry, type ApiKeyKind, type ApiKeys, apiKeyKinds, newApiKey } from './api-keys.ts';
import { whileLocked } from './key-file.ts';
import { lookAgainEveryMs, lookEveryMs } from './key-ring.ts';
import { KeyRejection } from './rotation.ts';
import { readSecrets, type Secrets } from './secrets-file.ts';

export type DefaultKeySource = 'setting' | 'generated' | 'well-known';

export interface DefaultKeys {
  current(kind: ApiKeyKind): string;
  sourceOf(kind: ApiKeyKind): DefaultKeySource;
  /** Returns the kind of a default key. Checks the file again if the key isn't known yet. */
  kindOf(key: string): ApiKeyKind | undefined;
  /**
   * Generates a new default key. The old key stays valid as an additional key.
   * @throws {KeyRejection} if the current key isn't a generated one, or if another change is in progress
   */
  rotate(kind: ApiKeyKind, by: string): { readonly key: string; readonly previous: ApiKeyEntry };
  /** Checks the file, no matter when it was last checked. */
  refresh(): void;
  /** Calls the listener in this process after a default key has changed. */
  onChange(listener: () => void): void;
}

interface DefaultKeysOptions {
  /** `.plinth/secrets.json`. Undefined in development. */
  readonly file: string | undefined;
  /** The content of the file when the process started. */
  readonly generated: Secrets | undefined;
  readonly settings: { readonly [kind in ApiKeyKind]: string | undefined };
  readonly apiKeys: ApiKeys;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

const fields = { publishable: 'publishableKey', secret: 'secretKey' } as const;

export function createDefaultKeys(options: DefaultKeysOptions): DefaultKeys {
  const { file, settings, apiKeys, monotonicMs, log } = options;
  const listeners: (() => void)[] = [];
  let { generated } = options;
  let stamp: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function look(): void {
    lookedAt = monotonicMs();
    if (file === undefined) return;
    const found = fileStamp(file);
    if (found === stamp) return;
    stamp = found;
    let next: Secrets;
    try {
      next = readSecrets(file);
    } catch (error) {
      log.error({ file, error }, 'the changed secrets file is invalid; keeping the previous default keys');
      return;
    }
    const isUnchanged = apiKeyKinds.every((kind) => next[fields[kind]] === generated?.[fields[kind]]);
    generated = next;
    if (isUnchanged) return;
    // The old key was added to the additional keys before the default key was replaced.
    apiKeys.refresh();
    log.info({ file }, 'the default API keys changed');
    for (const listener of listeners) listener();
  }

  const lookIfOlderThan = (ageMs: number): void => {
    if (monotonicMs() - lookedAt >= ageMs) look();
  };
  const keyOf = (kind: ApiKeyKind): string =>
    settings[kind] ?? generated?.[fields[kind]] ?? demo[fields[kind]];
  const kindAmong = (key: string): ApiKeyKind | undefined =>
    apiKeyKinds.find((kind) => isSame(keyOf(kind), key));
  const sourceOf = (kind: ApiKeyKind): DefaultKeySource => {
    if (settings[kind] !== undefined) return 'setting';
    return generated === undefined ? 'well-known' : 'generated';
  };

  return {
    current(kind) {
      lookIfOlderThan(lookEveryMs);
      return keyOf(kind);
    },
    sourceOf,
    kindOf(key) {
      const known = kindAmong(key);
      if (known !== undefined) return known;
      lookIfOlderThan(lookAgainEveryMs);
      return kindAmong(key);
    },
    rotate(kind, by) {
      if (file === undefined || sourceOf(kind) !== 'generated')
        throw new KeyRejection(
          "Plinth didn't generate this key, so it can't rotate it.",
          `Change the setting auth.${kind}_key and restart the server.`,
        );
      const rotated = whileLocked(file, () => {
        const secrets = readSecrets(file);
        const previous = apiKeys.keepDefault(kind, secrets[fields[kind]], by);
        const key = newApiKey(kind);
        replaceFile(file, `${JSON.stringify({ ...secrets, [fields[kind]]: key }, null, 2)}\n`);
        return { key, previous };
      });
      look();
      return rotated;
    },
    refresh: look,
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Defines the local stack's well-known keys. The keys are public, so they are used only in development and on loopback.
 * `plinth serve` generates new keys and rejects the well-known keys.
 */
export const demo = {
  jwtSecret: 'super-secret-jwt-token-with-at-least-32-characters-long',
  /**
   * The expiry (Unix seconds) of the demo anon and service_role keys. The expiry is fixed so that the keys are the same
   * everywhere.
   */
  keyExpiresAt: 1983812996,
  keyIssuer: 'supabase-demo',
  publishableKey: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  secretKey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
  s3: {
    accessKeyId: '625729a08b95bf1b7ff351a663f3a23c',
    secretAccessKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
    region: 'local',
  },
  signingKey: {
    kty: 'EC',
    kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90',
    use: 'sig',
    key_ops: ['sign', 'verify'],
    alg: 'ES256',
    ext: true,
    crv: 'P-256',
    x: 'M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4',
    y: 'P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ',
    d: 'dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU',
  },
} as const;

/**
 * Public JWT secrets. The well-known secrets are the local stack's secret and the placeholder from the self-hosted
 * stack's documentation, which also publishes admin tokens signed with this placeholder.
 */
export const publicJwtSecrets: readonly string[] = [
  demo.jwtSecret,
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
];
