/** Stores the certificates received from another process, which obtains and checks them. */
import type { Certificates, PemPair } from '../../base/kernel/tls.ts';
import { createCertificateTable } from './certificate-table.ts';
import { readKeyPair } from './core/key-pair.ts';

export interface ReceivedCertificates extends Certificates {
  /** Replaces all certificates. The number of certificates must not change. */
  replace(pairs: readonly PemPair[]): void;
}

/** Returns the received certificates. @throws {CertificateError} if a certificate can't be used */
export function createReceivedCertificates(pairs: readonly PemPair[]): ReceivedCertificates {
  const table = createCertificateTable(pairs.map((_pair, index) => String(index)));
  const replace = (next: readonly PemPair[]): void => {
    const known = table.pairs();
    for (const [index, pair] of next.entries())
      if (pair.cert !== known[index]?.cert || pair.key !== known[index]?.key)
        table.set(String(index), readKeyPair(pair));
  };
  replace(pairs);
  return { ...table, replace };
}
