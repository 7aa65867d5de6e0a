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
import { demo } from './demo.ts';
import { whileLocked } from './file-lock.ts';
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
  /** Calls the listener in this process after a default key has changed. */
  onChange(listener: () => void): void;
}

export interface DefaultKeysOptions {
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
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
