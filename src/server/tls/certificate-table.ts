/** Selects one of the certificates in use by server name. */
import type { Certificates } from '../../base/kernel/tls.ts';
import { CertificateError, type KeyPair } from './core/key-pair.ts';

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
