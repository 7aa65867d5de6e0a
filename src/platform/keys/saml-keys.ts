/**
 * Loads the project's RSA keys for SAML identity providers. Uses the configured key, in the format of upstream's
 * GOTRUE_SAML_PRIVATE_KEY (PKCS#1 in base64). If no key is configured, uses `saml-key.pem` in the data folder, which is
 * generated on first use.
 */
import { createPrivateKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { fileStamp } from '../../base/kernel/replace-file.ts';

export interface SamlKeys {
  readonly current: KeyObject;
  /** The key that will replace `current`. This key is announced to identity providers in advance. */
  readonly next: KeyObject | undefined;
}

export interface SamlKeySettings {
  readonly enabled: boolean;
  readonly private_key: string | undefined;
  readonly private_key_next: string | undefined;
}

/** Runs work that changes files of the data folder. */
export type ChangeFiles = <T>(work: () => Promise<T>) => Promise<T>;

const minBits = 2048;

/**
 * Returns a function that loads the keys. The returned function rejects if a configured key or the key file is invalid.
 * If SAML is enabled while the server runs, the configured keys apply too, because identity providers store the
 * certificate.
 * @param change Runs work that creates the key file.
 * @throws {Error} if SAML is enabled and a configured key is invalid
 */
export function createSamlKeys(
  settings: SamlKeySettings,
  file: string,
  change: ChangeFiles = (work) => work(),
): () => Promise<SamlKeys> {
  const readConfigured = (): { current: KeyObject | undefined; next: KeyObject | undefined } => ({
    current: configuredKey(settings, 'private_key'),
    next: configuredKey(settings, 'private_key_next'),
  });
  let configured = settings.enabled ? readConfigured() : undefined;
  let kept: Promise<KeyObject> | undefined;
  let keptStamp: string | undefined;
  return async () => {
    configured ??= readConfigured();
    const { current, next } = configured;
    if (current !== undefined) return { current, next };
    const stamp = fileStamp(file);
    if (kept === undefined || stamp !== keptStamp) {
      keptStamp = stamp;
      kept = stamp === undefined ? change(() => loadOrCreateKey(file)) : loadOrCreateKey(file);
      kept.catch(() => {
        kept = undefined;
      });
    }
    return { current: await kept, next };
  };
}

function configuredKey(
  settings: SamlKeySettings,
  name: 'private_key' | 'private_key_next',
): KeyObject | undefined {
  const text = settings[name];
  return text === undefined ? undefined : parseKey(text, `auth.saml.${name}`);
}

function parseKey(text: string, name: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs1' });
  } catch {
    throw new Error(`${name} must be an RSA key in PKCS#1 format, encoded in base64`);
  }
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < minBits) throw new Error(`${name} must have at least ${minBits} bits`);
  if (publicExponent !== 65_537n) throw new Error(`${name} must have the public exponent 65537`);
  return key;
}

async function loadOrCreateKey(file: string): Promise<KeyObject> {
  try {
    return createPrivateKey(await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new Error(
        `${file} is damaged. This file contains the project's SAML key. Restore it from a backup, or move it to generate a new key.`,
        {
          cause: error,
        },
      );
    }
  }
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: minBits });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    // Creates a hard link because, unlike a rename, a link never replaces a key file that another process created
    // first.
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return loadOrCreateKey(file);
  } finally {
    await unlink(temporary);
  }
  return privateKey;
}
