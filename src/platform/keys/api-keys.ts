/**
 * Manages the publishable and secret keys that a project has in addition to the default keys. Each key has a name and
 * can be revoked without affecting the others. `.plinth/api-keys.json` contains only the keys' hashes. Every process
 * that uses the folder detects changes to the file within a second.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from '../../base/kernel/log.ts';
import { fileStamp, replaceFile } from '../../base/kernel/replace-file.ts';

export const apiKeyKinds = ['publishable', 'secret'] as const;
export type ApiKeyKind = (typeof apiKeyKinds)[number];

export interface ApiKeyEntry {
  readonly id: string;
  readonly name: string;
  readonly kind: ApiKeyKind;
  /** The first characters of the key, which help users recognize it. */
  readonly hint: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Whether this was the default key until `createdAt`. */
  readonly wasDefault?: true;
}

interface StoredKey extends ApiKeyEntry {
  /** The SHA-256 hash in hexadecimal. A slow hash function isn't needed for a key of 192 random bits. */
  readonly hash: string;
}

export interface ApiKeys {
  /** Returns the kind of an additional key, or undefined if the key is unknown or revoked. */
  kindOf(key: string): ApiKeyKind | undefined;
  /** Lists the keys except those in `hidden`. */
  list(hidden?: readonly string[]): readonly (ApiKeyEntry & { readonly lastUsedAt: string | null })[];
  /** Creates a key. Only this method returns the key itself. */
  create(kind: ApiKeyKind, name: string, by: string): { readonly entry: ApiKeyEntry; readonly key: string };
  /** Revokes a key. Returns undefined if no key has this ID. */
  revoke(id: string): ApiKeyEntry | undefined;
  /**
   * Adds a default key that is being replaced, so that this key stays valid. Adding a key that was already added has no
   * effect.
   */
  keepDefault(kind: ApiKeyKind, key: string, by: string): ApiKeyEntry;
  /** Rereads the file if it has changed, even if the last check was recent. */
  refresh(): void;
  /** Returns a number that changes when keys have changed. */
  generation(): number;
  /**
   * Returns the times at which this process last used each key, by key ID, and clears the record. Times are in
   * milliseconds since the epoch.
   */
  takeUses(): ReadonlyMap<string, number>;
  /** Adds the uses that another process has collected. */
  addUses(taken: ReadonlyMap<string, number>): void;
}

const followEveryMs = 1000;
const hintChars = { publishable: 21, secret: 16 } as const;

export const newApiKey = (kind: ApiKeyKind): string => `sb_${kind}_${randomBytes(24).toString('base64url')}`;

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

export interface ApiKeysOptions {
  readonly file: string;
  readonly monotonicMs: () => number;
  readonly now: () => number;
  readonly log: Logger;
}

export function createApiKeys({ file, monotonicMs, now, log }: ApiKeysOptions): ApiKeys {
  let stamp: string | undefined;
  let keys = new Map<string, StoredKey>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  /** When each key was last used, by key ID. */
  const usedAt = new Map<string, number>();

  function look(): void {
    lookedAt = monotonicMs();
    const found = fileStamp(file);
    if (found === stamp) return;
    stamp = found;
    generation++;
    try {
      keys = found === undefined ? new Map() : read(file);
    } catch (error) {
      // If the file can't be read, rejects all additional keys, because any of them may have been revoked.
      keys = new Map();
      log.error({ file, error }, 'failed to read the API keys; rejecting all of them');
    }
  }

  const entryOf = (kind: ApiKeyKind, key: string, name: string, by: string): ApiKeyEntry => ({
    id: randomUUID(),
    name,
    kind,
    hint: key.slice(0, hintChars[kind]),
    createdAt: new Date(now()).toISOString(),
    createdBy: by,
  });

  function write(next: readonly StoredKey[]): void {
    replaceFile(file, `${JSON.stringify({ version: 1, keys: next }, null, 2)}\n`);
    stamp = undefined;
    look();
  }

  return {
    kindOf(key) {
      if (monotonicMs() - lookedAt >= followEveryMs) look();
      // Most projects have no additional keys, so no hash is computed for their requests.
      if (keys.size === 0) return undefined;
      const found = keys.get(hashOf(key));
      if (found !== undefined) usedAt.set(found.id, now());
      return found?.kind;
    },
    generation: () => generation,
    list(hidden = []) {
      look();
      const hiddenHashes = new Set(hidden.map(hashOf));
      return [...keys.values()].flatMap(({ hash, ...entry }) => {
        if (hiddenHashes.has(hash)) return [];
        const used = usedAt.get(entry.id);
        return [{ ...entry, lastUsedAt: used === undefined ? null : new Date(used).toISOString() }];
      });
    },
    create(kind, name, by) {
      look();
      const key = newApiKey(kind);
      const entry = entryOf(kind, key, name, by);
      write([...keys.values(), { ...entry, hash: hashOf(key) }]);
      return { entry, key };
    },
    revoke(id) {
      look();
      const found = [...keys.values()].find((key) => key.id === id);
      if (found === undefined) return undefined;
      write([...keys.values()].filter((key) => key.id !== id));
      const { hash: _hash, ...entry } = found;
      return entry;
    },
    keepDefault(kind, key, by) {
      look();
      const name = `${kind === 'secret' ? 'Secret' : 'Publishable'} key until ${new Date(now()).toISOString().slice(0, 10)}`;
      const entry: ApiKeyEntry = { ...entryOf(kind, key, name, by), wasDefault: true };
      const hash = hashOf(key);
      // The key is already in the file if an earlier rotation was interrupted.
      write([...[...keys.values()].filter((each) => each.hash !== hash), { ...entry, hash }]);
      return entry;
    },
    refresh: look,
    takeUses() {
      const taken = new Map(usedAt);
      usedAt.clear();
      return taken;
    },
    addUses(taken) {
      for (const [id, at] of taken) usedAt.set(id, Math.max(at, usedAt.get(id) ?? 0));
    },
  };
}

/** Reads the stored keys. @throws {Error} if the file isn't in the format that {@link createApiKeys} writes */
function read(file: string): Map<string, StoredKey> {
  const { version, keys } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown; keys?: unknown };
  if (version !== 1 || !Array.isArray(keys)) throw new Error(`${file} is damaged`);
  return new Map(
    (keys as StoredKey[]).map((key) => {
      const isWhole =
        typeof key.id === 'string' && /^[0-9a-f]{64}$/.test(key.hash) && apiKeyKinds.includes(key.kind);
      if (!isWhole) throw new Error(`${file} is damaged`);
      return [key.hash, key];
    }),
  );
}
