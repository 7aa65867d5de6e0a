/** Checks a certificate and its private key. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { PemPair } from '../../../base/kernel/tls.ts';

/** Thrown if a certificate can't be used. The error's message is a sentence for operators. */
export class CertificateError extends Error {
  override name = 'CertificateError';
}

export interface KeyPair extends PemPair {
  readonly leaf: X509Certificate;
  readonly context: SecureContext;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The oldest protocol version that the ports accept. */
export const minVersion = 'TLSv1.2';

/**
 * Parses a certificate chain and its key.
 * @throws {CertificateError}
 * @example readKeyPair({ cert: readFileSync('fullchain.pem', 'utf8'), key: readFileSync('privkey.pem', 'utf8') })
 */
export function readKeyPair({ cert, key }: PemPair): KeyPair {
  const leaf = attempt(() => new X509Certificate(cert), "The certificate isn't valid PEM");
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key))
    throw new CertificateError('The private key is encrypted with a passphrase. Store the key without one.');
  const privateKey = attempt(() => createPrivateKey(key), "The private key isn't valid PEM");
  if (!leaf.checkPrivateKey(privateKey))
    throw new CertificateError("The private key doesn't belong to the certificate.");
  // Node's TLS module is loaded only when needed, because every server loads this file.
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  const context = attempt(
    () => createSecureContext({ cert, key, minVersion }),
    "The certificate chain can't be used",
  );
  return {
    cert,
    key,
    leaf,
    context,
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
  };
}

/** Returns the DNS names and IP addresses of a certificate. */
export const namesOf = ({ subjectAltName }: Pick<X509Certificate, 'subjectAltName'>): readonly string[] =>
  (subjectAltName ?? '').split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);

function attempt<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (error) {
    throw new CertificateError(`${problem} (${(error as Error).message}).`, { cause: error });
  }
}
