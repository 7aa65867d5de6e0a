/** Selects one of the certificates in use by server name. */
import type { Certificates, PemPair } from '../../base/kernel/tls.ts';
import { CertificateError, type KeyPair, readKeyPair } from './core/key-pair.ts';

export interface CertificateTable extends Certificates {
  /** Adds or replaces the certificate of a slot. The first slot is the fallback. */
  set(slot: string, pair: KeyPair): void;
  get(slot: string): KeyPair | undefined;
}

/**
 * Creates the table.
 * @param slots the names of the certificates, most important first
 */
export function createCertificateTable(slots: readonly string[]): CertificateTable {
  const pairs = new Map<string, KeyPair>();
  const listeners: (() => void)[] = [];
  const pairListeners: (() => void)[] = [];
  const ordered = (): readonly KeyPair[] => slots.flatMap((slot) => pairs.get(slot) ?? []);
  const fallback = (): KeyPair => {
    const [first] = ordered();
    if (first === undefined) throw new CertificateError('No certificate is loaded yet.');
    return first;
  };
  return {
    get: (slot) => pairs.get(slot),
    set(slot, pair) {
      const before = ordered()[0];
      pairs.set(slot, pair);
      if (before !== undefined && ordered()[0] !== before) for (const listener of listeners) listener();
      for (const listener of pairListeners) listener();
    },
    fallback,
    contextFor: (serverName) =>
      (ordered().find(({ leaf }) => leaf.checkHost(serverName) !== undefined) ?? fallback()).context,
    onChange: (listener) => void listeners.push(listener),
    pairs: () => ordered().map(({ cert, key }) => ({ cert, key })),
    onPairs: (listener) => void pairListeners.push(listener),
  };
}

/** The certificates received from another process, which obtains and checks them. */
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
