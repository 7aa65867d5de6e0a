/**
 * Secrets that are set while the server runs. Functions receive these secrets as environment variables. The secrets are
 * stored in one file in the data folder. Each value is encrypted with a key from another file, so a copy of the secrets
 * file alone doesn't reveal the values.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { createSeal, type Seal } from '../../base/shared/seal.ts';
import { checkSecret, maxSecrets } from './core/secret-rules.ts';
import { DeployError } from './errors.ts';

export interface Secret {
  readonly name: string;
  readonly value: string;
}

export interface SecretFacts {
  readonly name: string;
  /** The SHA-256 hash of the value in hexadecimal digits. Upstream's CLI shows this hash in place of the value. */
  readonly digest: string;
  readonly updatedAt: string;
}

export interface SecretStore {
  /** Returns the secrets, sorted by name and without their values. */
  list(): SecretFacts[];
  /** Sets the given secrets, either all of them or none. @throws {DeployError} invalid */
  set(secrets: readonly Secret[]): void;
  /** Removes the secrets. Names of secrets that don't exist are ignored, as in upstream's API. */
  unset(names: readonly string[]): void;
  /** Returns the names and values of all secrets. */
  values(): Readonly<Record<string, string>>;
  /** Reads the file again, because another process has replaced it. */
  reload(): void;
}

export interface SecretStoreOptions {
  readonly file: string;
  readonly keyFile: string;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly onChange: () => void;
}

interface Entry {
  readonly name: string;
  /** The encrypted value in base64. */
  readonly sealed: string;
  readonly updatedAt: string;
}

const about = (name: string): string => `function secret ${name}`;

/** Opens the store. The file is read immediately, so that a damaged file is reported when the server starts. */
export function createSecretStore({ file, keyFile, now, onChange }: SecretStoreOptions): SecretStore {
  const seal: Seal = createSeal(keyFile);
  const read = () =>
    new Map(readEntries(file).map((entry) => [entry.name, { ...entry, value: opened(entry) }]));
  let known = read();

  function opened({ name, sealed }: Entry): string {
    const value = seal.open(Buffer.from(sealed, 'base64'), about(name));
    if (value === undefined)
      throw new Error(
        `The secret ${name} in ${file} can't be decrypted with ${keyFile}. Restore both files from the same backup, or remove ${file} and set the secrets again.`,
      );
    return value;
  }

  function save(next: typeof known): void {
    const secrets = [...next.values()].map(({ name, sealed, updatedAt }) => ({ name, sealed, updatedAt }));
    replaceFile(file, `${JSON.stringify({ secrets }, null, 2)}\n`);
    known = next;
    onChange();
  }

  return {
    list: () =>
      [...known.values()]
        .map(({ name, value, updatedAt }) => ({
          name,
          digest: createHash('sha256').update(value).digest('hex'),
          updatedAt,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    set(secrets) {
      for (const secret of secrets) checkSecret(secret);
      const next = new Map(known);
      const updatedAt = new Date(now()).toISOString();
      for (const { name, value } of secrets) {
        const sealed = seal.close(value, about(name)).toString('base64');
        next.set(name, { name, value, sealed, updatedAt });
      }
      if (next.size > maxSecrets)
        throw new DeployError(
          'invalid',
          `At most ${maxSecrets} secrets can be set. Unset some of them first.`,
        );
      save(next);
    },
    unset(names) {
      const next = new Map(known);
      for (const name of names) next.delete(name);
      if (next.size < known.size) save(next);
    },
    values: () => Object.fromEntries([...known.values()].map(({ name, value }) => [name, value])),
    reload() {
      known = read();
      onChange();
    },
  };
}

function readEntries(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { secrets: readonly Entry[] }).secrets;
  } catch (error) {
    throw new Error(`${file} is damaged. Restore it from a backup, or remove it and set the secrets again.`, {
      cause: error,
    });
  }
}
