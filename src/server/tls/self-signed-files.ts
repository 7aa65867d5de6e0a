/**
 * Manages the self-signed certificate in the data folder. The certificate is kept across restarts, so a developer needs
 * to trust it only once.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { type KeyPair, namesOf, readKeyPair } from './core/key-pair.ts';
import { createSelfSigned } from './self-signed.ts';

/** A certificate with a shorter remaining lifetime is replaced at the next start. */
const minRemainingMs = 30 * 24 * 60 * 60_000;

export const selfSignedCertPath = (dataDir: string): string => join(dataDir, 'tls', 'self-signed.crt');

/** Reads the certificate, or creates one for these names. */
export async function openSelfSigned(
  dataDir: string,
  names: readonly string[],
  now: number,
): Promise<KeyPair> {
  const certPath = selfSignedCertPath(dataDir);
  const keyPath = join(dataDir, 'tls', 'self-signed.key');
  const known = readKnown(certPath, keyPath);
  if (known !== undefined && known.notAfter - now > minRemainingMs && covers(known, names)) return known;
  const created = await createSelfSigned(names, now);
  mkdirSync(join(dataDir, 'tls'), { recursive: true, mode: 0o700 });
  replaceFile(keyPath, created.key);
  replaceFile(certPath, created.cert);
  return readKeyPair(created);
}

function readKnown(certPath: string, keyPath: string): KeyPair | undefined {
  try {
    return readKeyPair({ cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') });
  } catch {
    return undefined;
  }
}

function covers({ leaf }: KeyPair, names: readonly string[]): boolean {
  const found = new Set(namesOf(leaf));
  return names.every((name) => found.has(name) || leaf.checkIP(name) !== undefined);
}
