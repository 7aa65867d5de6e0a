/** Creates a certificate authority for tests. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { PemPair } from '../../src/base/kernel/tls.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
x509.cryptoProvider.set(webcrypto as Crypto);

export interface CertificateAuthority {
  /** The root certificate (PEM), for clients. */
  readonly root: string;
  /** Signs a certificate request (DER). @throws {Error} for a request whose signature is wrong */
  sign(csr: Buffer, lifetimeMs: number): Promise<string>;
  /** Returns the DNS names of a certificate request. */
  namesIn(csr: Buffer): readonly string[];
  /** Creates a key and a certificate. */
  issue(names: readonly string[], validity?: { from?: number; lifetimeMs?: number }): Promise<PemPair>;
}

const newKeys = async (): Promise<CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;

export async function createAuthority(): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 24 * 60 * 60_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const certify = async (
    names: readonly string[],
    publicKey: x509.PublicKeyType,
    from: number,
    lifetimeMs: number,
  ): Promise<string> => {
    const certificate = await x509.X509CertificateGenerator.create({
      subject: '',
      issuer: root.subject,
      notBefore: new Date(from),
      notAfter: new Date(from + lifetimeMs),
      signingAlgorithm: algorithm,
      signingKey: keys.privateKey,
      publicKey,
      extensions: [
        new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
      ],
    });
    return `${certificate.toString('pem')}\n${root.toString('pem')}\n`;
  };
  const namesIn = (csr: Buffer): readonly string[] => {
    const request = new x509.Pkcs10CertificateRequest(new Uint8Array(csr));
    const extension = request.getExtension('2.5.29.17');
    if (extension === null) return [];
    const names = new x509.SubjectAlternativeNameExtension(extension.rawData).names.toJSON();
    return names.map(({ value }) => value);
  };
  return {
    root: root.toString('pem'),
    namesIn,
    async sign(csr, lifetimeMs) {
      const request = new x509.Pkcs10CertificateRequest(new Uint8Array(csr));
      if (!(await request.verify())) throw new Error('the signature of the request is wrong');
      return await certify(namesIn(csr), request.publicKey, Date.now(), lifetimeMs);
    },
    async issue(names, { from = Date.now() - 1000, lifetimeMs = 60 * 60_000 } = {}) {
      const own = await newKeys();
      const key = await webcrypto.subtle.exportKey('pkcs8', own.privateKey);
      return {
        cert: await certify(names, own.publicKey, from, lifetimeMs),
        key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
      };
    },
  };
}
