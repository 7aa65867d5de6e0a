/**
 * Creates certificates that no known authority has signed. These certificates are used in development, and in
 * production until a real certificate is available.
 */
import { webcrypto } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import type { PemPair } from '../../base/kernel/tls.ts';
import { type KeyPair, namesOf, readKeyPair } from './core/key-pair.ts';

const dayMs = 24 * 60 * 60_000;
const lifetimeMs = 365 * dayMs;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const newKeys = async (): Promise<CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;

/**
 * Returns a server certificate and the certificate of the CA that issued it. Two certificates are needed, because some
 * clients don't accept a CA certificate as a server certificate. The CA's key is discarded, so a client that trusts the
 * CA trusts only this server certificate.
 * @param names DNS names and IP addresses, at least one.
 */
export async function createSelfSigned(names: readonly string[], now: number): Promise<PemPair> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as Crypto);
  const validity = { notBefore: new Date(now - dayMs), notAfter: new Date(now + lifetimeMs) };
  const [authorityKeys, keys] = [await newKeys(), await newKeys()];
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Plinth self-signed',
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...validity,
    subject: `CN=${names[0]}`,
    issuer: authority.subject,
    signingAlgorithm: algorithm,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    cert: `${leaf.toString('pem')}\n${authority.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}

/** A certificate with a shorter remaining lifetime is replaced at the next start. */
const minRemainingMs = 30 * dayMs;

export const selfSignedCertPath = (dataDir: string): string => join(dataDir, 'tls', 'self-signed.crt');

/**
 * Reads the certificate in the data folder, or creates one for these names. The certificate is kept across restarts, so a
 * developer needs to trust it only once.
 */
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
