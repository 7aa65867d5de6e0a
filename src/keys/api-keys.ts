/**
 * Manages a project's additional publishable and secret keys. Each key has a name and can be revoked without affecting
 * the others. `.plinth/api-keys.json` contains only the keys' hashes. Every process that uses the folder detects
 * changes within a second.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from '../kernel/log.ts';
import { fileStamp, replaceFile } from '../kernel/replace-file.ts';

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
}

interface StoredKey extends ApiKeyEntry {
  /** The SHA-256 hash in hexadecimal. A slow hash isn't needed for a key of 192 random bits. */
  readonly hash: string;
}

export interface ApiKeys {
  /** Returns the kind of an additional key, or undefined if the key is unknown or revoked. */
  kindOf(key: string): ApiKeyKind | undefined;
  list(): readonly (ApiKeyEntry & { readonly lastUsedAt: string | null })[];
  /** Creates a key. The key itself is returned only here. */
  create(kind: ApiKeyKind, name: string, by: string): { readonly entry: ApiKeyEntry; readonly key: string };
  /** Revokes a key. Returns undefined if no key has this ID. */
  revoke(id: string): ApiKeyEntry | undefined;
}

const followEveryMs = 1000;
const hintChars = { publishable: 21, secret: 16 } as const;

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
  /** When each key was last used in this process, by key ID. */
  const usedAt = new Map<string, number>();

  function look(): void {
    lookedAt = monotonicMs();
    const found = fileStamp(file);
    if (found === stamp) return;
    stamp = found;
    try {
      keys = found === undefined ? new Map() : read(file);
    } catch (error) {
      // If the file can't be read, rejects all additional keys, because any of them may have been revoked.
      keys = new Map();
      log.error({ file, error }, 'failed to read the API keys; rejecting all of them');
    }
  }

  function write(next: readonly StoredKey[]): void {
    replaceFile(file, `${JSON.stringify({ version: 1, keys: next }, null, 2)}\n`);
    stamp = undefined;
    look();
  }

  return {
    kindOf(key) {
      if (monotonicMs() - lookedAt >= followEveryMs) look();
      // Most projects have no additional keys, so their requests don't need a hash.
      if (keys.size === 0) return undefined;
      const found = keys.get(hashOf(key));
      if (found !== undefined) usedAt.set(found.id, now());
      return found?.kind;
    },
    list() {
      look();
      return [...keys.values()].map(({ hash: _hash, ...entry }) => {
        const used = usedAt.get(entry.id);
        return { ...entry, lastUsedAt: used === undefined ? null : new Date(used).toISOString() };
      });
    },
    create(kind, name, by) {
      look();
      const key = `sb_${kind}_${randomBytes(24).toString('base64url')}`;
      const entry: ApiKeyEntry = {
        id: randomUUID(),
        name,
        kind,
        hint: key.slice(0, hintChars[kind]),
        createdAt: new Date(now()).toISOString(),
        createdBy: by,
      };
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
